import { strict as assert } from "node:assert";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { run } from "../../../tools/run";
import { ChartRegistry } from "../../support/chart-registry";
import { asStory } from "../../support/story";
import { CustomResourcesProject, condition, definition, resource } from "./custom-resources-project";

/** The long story of test/integration/components/custom-resources.test.ts: several functions, rules, and a chart. */
describe("custom resources of several network functions, and charts", function () {
    this.timeout("20m");
    asStory(this);
    let shop: CustomResourcesProject;
    let registry: ChartRegistry;
    const authorities = process.env["SSL_CERT_FILE"];
    const folder = mkdtempSync(join(tmpdir(), "nfv-chart-"));
    const chart = join(folder, "upf");

    const archive = join(folder, "upf-1.2.3.tgz");

    before(async function () {
        writeChart();
        await run(["tar", "czf", archive, "-C", folder, "upf"]);
        registry = await ChartRegistry.start(archive, { name: "upf", version: "1.2.3" }, join(folder, "ca.crt"));
        // The plugin reads charts of registries that the system's authorities vouch for.
        process.env["SSL_CERT_FILE"] = registry.caFile;
        shop = await CustomResourcesProject.open(this, "charts");
    });
    after(() => {
        if (authorities === undefined) delete process.env["SSL_CERT_FILE"];
        else process.env["SSL_CERT_FILE"] = authorities;
        shop?.close();
        registry?.stop();
        rmSync(folder, { recursive: true });
    });

    // A chart with definitions only: the first `up` also registers the Vim, which the rendering waits for.
    const kinds = { chart: { source: join(folder, "kinds") } };
    const succeeds = async (run: Promise<{ code: number | null; output: string }>) => {
        const { code, output } = await run;
        assert.equal(code, 0, output);
        return output;
    };
    const unchanged = async () => {
        assert.match(await succeeds(shop.run("up", "--yes", "--skip-preview", "--expect-no-changes")), /unchanged/);
    };

    it("use kinds that another function of the program defines, in the namespace of the function that has them", async () => {
        const objects = [resource("Plain", "p"), resource("Phase", "f")];
        shop.give({ kinds, upf: { after: ["kinds"], namespace: "demo", timeoutSeconds: 60, objects } });
        await succeeds(shop.run("preview"));
        const output = await succeeds(shop.up());
        assert.ok((await shop.find("Plain", "p"))!.metadata.uid);
        assert.match(
            output,
            /Phase demo\/f has a status without conditions \(phase\): it counts as ready because it exists/,
        );
        await unchanged();
    });

    it("are ready by a rule of the program", async () => {
        const rule = { field: "status.phase", value: "Running" };
        const objects = [resource("Phase", "f")];
        const upf = { after: ["kinds"], namespace: "demo", timeoutSeconds: 60, objects };
        shop.give({ kinds, upf: { ...upf, readiness: { "shop.example.com/*/Phase": rule } } });
        await shop.reconcile("Phase", "f", { phase: "Pending" });
        const runs = () => shop.reconcile("Phase", "f", { phase: "Running" });
        await succeeds(shop.upUntil(/Phase demo\/f: status\.phase is Pending/, runs));
        await unchanged();
    });

    it("that a refresh finds not ready are awaited by the next `up`", async () => {
        await shop.reconcile("Phase", "f", { phase: "Failed" });
        assert.match(
            await succeeds(shop.run("refresh", "--yes", "--skip-preview")),
            /Phase demo\/f is not ready: status\.phase is Failed/,
        );
        await shop.reconcile("Phase", "f", { phase: "Running" });
        assert.match(await succeeds(shop.up()), /CnfReadiness upf\/ready updated/);
        await unchanged();
    });

    it("come from a chart in a folder, with values, replicas, its definition and what the cluster has", async () => {
        const readiness = { "shop.example.com/v1/Widget": { condition: "Turning" } };
        const args = { namespace: "charted", timeoutSeconds: 60, replicas: { "upf-w": 4 }, readiness };
        shop.give({ kinds, upf: { ...args, chart: { source: chart, values: { size: 7 } } } });
        assert.match(await succeeds(shop.run("preview")), /Gear upf\/Gear\.shop\.example\.com\/charted\/upf-g create/);
        const up = shop.up();
        const turning = { conditions: [condition("Turning", "True")] };
        const found = await untilFound(() => shop.find("Widget", "upf-w", "charted"));
        assert.deepEqual(found["spec"], { size: 7, replicas: 4 });
        await shop.api.client.apply(`${shop.pathOf("Widget", "upf-w", "charted")}/status`, {
            ...resource("Widget", "upf-w", { status: turning, spec: undefined }),
        });
        const output = await succeeds(up);
        assert.match(output, /hooks of the chart .* are not applied: ConfigMap bye \(pre-delete\)/);
        const config = await shop.api.client.get<{ data: object }>("/api/v1/namespaces/charted/configmaps/upf-c");
        assert.deepEqual(config!.data, { kube: await serverVersion(), has: "true", lacks: "false" });
        assert.ok(await shop.find("Gear", "upf-g", "charted"));
        await unchanged();
    });

    it("are the same from the chart's archive, and from a registry: nothing changes", async () => {
        const readiness = { "shop.example.com/v1/Widget": { condition: "Turning" } };
        const args = { namespace: "charted", timeoutSeconds: 60, replicas: { "upf-w": 4 }, readiness };
        for (const source of [{ source: archive }, { source: `${registry.url}/upf`, version: "1.2.3" }]) {
            shop.give({ kinds, upf: { ...args, chart: { ...source, values: { size: 7 } } } });
            await unchanged();
        }
    });

    it("of a chart that cannot be rendered, or has kinds that the cluster does not have, are refused at preview", async () => {
        shop.give({ kinds, smf: { chart: { source: chart, values: { size: 0 } } } });
        const failed = await shop.run("preview");
        assert.match(failed.output, /Cnf "smf": INVALID_INPUT\n +chart .*size must not be 0/);
        shop.give({ kinds, smf: { chart: { source: chart, values: { size: 1, kind: "Widgett" } } } });
        const unknown = await shop.run("preview");
        assert.match(
            unknown.output,
            /does not have the kind Widgett of shop\.example\.com\/v1 \(smf-w\): near it has Widget/,
        );
        assert.notEqual(failed.code! * unknown.code!, 0);
    });

    it("go with their functions", async () => {
        await succeeds(shop.run("destroy", "--yes", "--skip-preview"));
        assert.equal(await shop.api.client.get("/api/v1/namespaces/charted"), undefined);
    });

    async function serverVersion(): Promise<string> {
        return (await shop.api.client.get<{ gitVersion: string }>("/version"))!.gitVersion;
    }

    async function untilFound<T>(find: () => Promise<T | undefined>): Promise<T> {
        for (;;) {
            const found = await find().catch(() => undefined);
            if (found !== undefined) return found;
            await new Promise(resolve => setTimeout(resolve, 200));
        }
    }

    function writeChart(): void {
        const definitions = [
            definition("Plain", "none"),
            definition("Phase", "phase"),
            definition("Widget", "conditions"),
        ];
        mkdirSync(join(folder, "kinds", "crds"), { recursive: true });
        writeFileSync(join(folder, "kinds", "Chart.yaml"), "apiVersion: v2\nname: kinds\nversion: 0.1.0\n");
        const all = definitions.map(each => stringify(each)).join("---\n");
        writeFileSync(join(folder, "kinds", "crds", "all.yaml"), all);
        for (const each of ["templates", "crds"]) mkdirSync(join(chart, each), { recursive: true });
        const template = (name: string, lines: string[]) =>
            writeFileSync(join(chart, "templates", name), lines.join("\n"));
        writeFileSync(
            join(chart, "Chart.yaml"),
            "apiVersion: v2\nname: upf\nversion: 1.2.3\nkubeVersion: '>=1.30.0-0'\n",
        );
        writeFileSync(join(chart, "values.yaml"), "kind: Widget\n");
        writeFileSync(join(chart, "crds", "gears.yaml"), stringify(definition("Gear", "none")));
        template("w.yaml", [
            '{{- if eq (int .Values.size) 0 }}{{ fail "size must not be 0" }}{{ end }}',
            "apiVersion: shop.example.com/v1",
            "kind: {{ .Values.kind }}",
            "metadata: {name: {{ .Release.Name }}-w}",
            "spec: {size: {{ .Values.size }}, replicas: 1}",
            "---",
            "apiVersion: shop.example.com/v1",
            "kind: Gear",
            "metadata: {name: {{ .Release.Name }}-g}",
        ]);
        template("c.yaml", [
            "apiVersion: v1",
            "kind: ConfigMap",
            "metadata: {name: {{ .Release.Name }}-c}",
            "data:",
            "  kube: {{ .Capabilities.KubeVersion.Version }}",
            '  has: {{ .Capabilities.APIVersions.Has "shop.example.com/v1/Widget" | quote }}',
            '  lacks: {{ .Capabilities.APIVersions.Has "keda.sh/v1alpha1" | quote }}',
            "---",
            "apiVersion: v1",
            "kind: ConfigMap",
            "metadata:",
            "  name: bye",
            "  annotations: {helm.sh/hook: pre-delete}",
        ]);
    }
});
