import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Cnf, Vim } from "../../../../components";
import { chartProblems, merged } from "../../../../components/cnf/chart";
import { secretTexts, withSecrets } from "../../../../components/cnf/chart-secrets";
import { isSecret, record } from "../recorder";
import { sampleCertificate } from "../sample-args";

const made = (kind: string, name: string, apiVersion = "v1", more: object = {}) => {
    const { hook, ...fields } = more as { hook?: string };
    const metadata = { name, ...(hook && { annotations: { "helm.sh/hook": hook } }) };
    return { apiVersion, kind, metadata, ...fields };
};

describe("a network function from a chart", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(path.join(os.tmpdir(), "chart-"));
        writeFileSync(path.join(folder, "Chart.yaml"), "name: upf\nversion: 1.0.0\n");
        writeFileSync(path.join(folder, "site.yaml"), "image: {tag: a, pull: Always}\nsize: 1\n");
    });
    after(() => rmSync(folder, { recursive: true }));

    const vim = () =>
        new Vim("site", {
            endpoint: "https://127.0.0.1:1",
            caCertificate: sampleCertificate,
            auth: { bearerToken: "canary-token" },
        });
    /** Runs a program whose plugin renders these objects. */
    async function program(
        given: object[] | (() => object[]) | Error,
        args: object = {},
        chart: object = {},
        mode: "up" | "preview" = "preview",
    ) {
        const asked: Record<string, any>[] = [];
        const call = (token: string, { jsonOpts }: Record<string, unknown>) => {
            strictEqual(token, "kubernetes:helm:template");
            asked.push(JSON.parse(String(jsonOpts)));
            if (given instanceof Error) throw given;
            return { result: typeof given === "function" ? given() : given };
        };
        const cnf = () =>
            new Cnf("upf", { vim: vim(), namespace: "demo", chart: { source: folder, ...chart }, ...args });
        const { resources } = await record(mode, cnf, { call });
        return {
            asked,
            resources,
            labels: resources.map(({ label }) => label),
            named: (label: string) => resources.find(each => each.label === label)!,
        };
    }

    it("is rendered without a cluster, and applied like manifests: in order, marked, with replicas", async () => {
        const objects = [made("Deployment", "upf", "apps/v1", { spec: { replicas: 1 } }), made("ConfigMap", "c")];
        const values = { values: { image: { tag: "b" } }, valuesFiles: [path.join(folder, "site.yaml")] };
        const { asked, named, labels } = await program(objects, { replicas: { upf: 3 } }, values);
        deepStrictEqual(asked.slice(1), [
            {
                ...{ path: folder, release_name: "upf", namespace: "demo", skip_crd_rendering: false },
                values: { image: { tag: "b", pull: "Always" }, size: 1 },
                ...{ kube_version: "1.34.0", api_versions: [] },
            },
        ]);
        const { inputs, after } = named("Deployment upf/Deployment/demo/upf");
        deepStrictEqual(inputs["spec"], { replicas: 3 });
        ok(after.includes("ConfigMap upf/ConfigMap/demo/c"));
        ok(labels.includes("CnfObjects upf"));
    });

    it("asks a registry for a version", async () => {
        const { asked } = await program([], {}, { source: "oci://registry.example/charts/upf", version: "1.2.3" });
        deepStrictEqual([asked[0]!["chart"], asked[0]!["version"]], ["oci://registry.example/charts/upf", "1.2.3"]);
        const refused = (chart: object) =>
            rejects(program([], {}, chart), /chart\.(version|source): (is required with a registry|must be a folder)/);
        await refused({ source: "oci://registry.example/charts/upf" });
        await refused({ source: "https://charts.example/upf.tgz" });
    });

    it("has the hooks of an installation where Helm would run them, and says which others it leaves out", async () => {
        const job = (name: string, hook: string) => made("Job", name, "batch/v1", { hook });
        const objects = [
            ...[made("Deployment", "d", "apps/v1", { spec: {} }), job("before", "pre-install,pre-upgrade")],
            ...[
                job("after", "post-install"),
                job("bye", "pre-delete"),
                made("ServiceAccount", "a", "v1", { hook: "pre-install" }),
            ],
        ];
        const { named, labels } = await program(objects);
        const waitsFor = (label: string) => named(label).after;
        ok(waitsFor("Job upf/Job/demo/before").includes("ServiceAccount upf/ServiceAccount/demo/a"));
        ok(waitsFor("Deployment upf/Deployment/demo/d").includes("Job upf/Job/demo/before"));
        ok(waitsFor("Job upf/Job/demo/after").includes("Deployment upf/Deployment/demo/d"));
        ok(!labels.some(label => label.includes("bye")));
    });

    it("keeps what the chart says is to stay", async () => {
        const kept = made("PersistentVolumeClaim", "data");
        Object.assign(kept.metadata, { annotations: { "helm.sh/resource-policy": "keep" } });
        const { resources } = await program([kept, made("ConfigMap", "c")]);
        const stay = resources.filter(({ retainOnDelete }) => retainOnDelete).map(({ label }) => label);
        deepStrictEqual(stay, ["PersistentVolumeClaim upf/PersistentVolumeClaim/demo/data"]);
    });

    it("shows no secret of its values, wherever the templates put it", async () => {
        const config = made("ConfigMap", "c", "v1", { data: { dsn: "db://canary-value@db", other: "x" } });
        const { resources } = await program([config], {}, { values: { password: pulumi.secret("canary-value") } });
        const raw = resources.map(each => each.raw);
        ok(JSON.stringify(raw).includes("canary-value"));
        ok(!JSON.stringify(raw, (_, value) => (isSecret(value) ? "" : value)).includes("canary"));
    });

    it("whose templates draw lots is found at preview, which names the fields and not their values", async () => {
        let drawn = 0;
        const draw = () => [made("Secret", "db", "v1", { data: { password: `canary${drawn++}`, user: "u" } })];
        const warned = async (mode: "up" | "preview") => {
            const { log } = pulumi;
            const warnings: string[] = [];
            const warn = log.warn;
            Object.assign(log, { warn: (text: string) => warnings.push(text) });
            try {
                await program(draw, {}, {}, mode);
            } finally {
                Object.assign(log, { warn });
            }
            return warnings.join("\n");
        };
        match(await warned("preview"), /no hash of a plan can be approved: Secret db: data\.password\. Give/);
        ok(!/canary|hash/.test(await warned("up")));
    });

    it("is not rendered at preview while a value is not known", async () => {
        const { unknown } = pulumi as unknown as { unknown: string };
        const { asked, labels } = await program(
            [made("ConfigMap", "c")],
            {},
            { values: { address: pulumi.output(unknown) } },
        );
        deepStrictEqual(asked, []);
        ok(!labels.some(label => label.startsWith("ConfigMap")));
    });

    it("whose rendering fails, or whose objects are wrong, is refused by the check of a resource", async () => {
        const problems = async (objects: object[] | Error, args: object = {}) =>
            (await program(objects, args)).named("CnfObjects upf").inputs["problems"] as string;
        // The SDK shows the details of a failed request.
        const details = "failed to generate YAML for specified Helm chart: values.size: is required";
        const failed = Object.assign(new Error(details), { details });
        match(await problems(failed), /^Cnf "upf": INVALID_INPUT\n +chart \/.*: values\.size: is required/);
        match(
            await problems([made("Deploymet", "d", "apps/v1")]),
            /chart: Deploymet\/d: kind Deploymet of apps\/v1 is not known; did you mean "Deployment"/,
        );
        match(
            await problems([made("ConfigMap", "c")], { replicas: { upf: 2 } }),
            /replicas\.upf: there is no such workload/,
        );
    });

    it("is refused where it is no chart, or lacks the charts that it depends on", () => {
        deepStrictEqual(chartProblems({ source: folder }), []);
        match(chartProblems({ source: "nonexistent" })[0]!, /^chart\.source: there is no file or folder nonexistent/);
        match(chartProblems({ source: folder, valuesFiles: ["none"] })[0]!, /^chart\.valuesFiles\.0: there is no file/);
        const list = path.join(folder, "list.yaml");
        writeFileSync(list, "- a\n");
        match(
            chartProblems({ source: folder, valuesFiles: [list] })[0]!,
            /^chart\.valuesFiles\.0: .*list\.yaml: must be a map/,
        );
        const other = path.join(folder, "other");
        mkdirSync(path.join(other, "charts", "redis"), { recursive: true });
        match(chartProblems({ source: other })[0]!, /other has no Chart\.yaml, so it is no chart/);
        writeFileSync(path.join(other, "Chart.yaml"), "name: o\ndependencies: [{name: redis}, {name: mongo}]\n");
        match(chartProblems({ source: other })[0]!, /mongo: named in .*; helm dependency build/);
        writeFileSync(path.join(other, "charts", "mongo-1.2.3.tgz"), "");
        deepStrictEqual(chartProblems({ source: other }), []);
    });
});

describe("the values of a chart", () => {
    it("are merged as Helm does: maps into each other, anything else replaced", () => {
        const before = { a: { b: 1, c: [1, 2] }, d: 1 };
        deepStrictEqual(merged(before, { a: { c: [3] }, d: { e: 2 } }), { a: { b: 1, c: [3] }, d: { e: 2 } });
    });

    it("that are secret are found in texts and in base64, not in what names an object", async () => {
        const texts = secretTexts([{ password: "canary" }, "ab", true, undefined, 12345]);
        deepStrictEqual(texts, ["canary", "Y2FuYXJ5", "12345", "MTIzNDU="]);
        const object = {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "canary" },
            data: { a: "x-canary", b: "Y2FuYXJ5", c: "none", d: ["canary"] },
        };
        const marked = withSecrets(object, texts) as unknown as { metadata: object; data: Record<string, unknown> };
        deepStrictEqual(marked.metadata, { name: "canary" });
        ok(await pulumi.isSecret(marked.data["a"] as pulumi.Output<string>));
        ok(await pulumi.isSecret(marked.data["b"] as pulumi.Output<string>));
        strictEqual(marked.data["c"], "none");
        ok(await pulumi.isSecret((marked.data["d"] as pulumi.Output<string>[])[0]!));
    });
});
