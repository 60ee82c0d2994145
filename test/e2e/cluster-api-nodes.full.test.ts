import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LabProvider, labProvider, writeComponents } from "../../lab/cluster-api";
import { substitute } from "../../provider/cluster-api/variables";
import type { WorkloadMachine } from "../../provider/cluster-api/workload-machines";
import { asStory } from "../support/story";
import { clusterArguments, command, eventually, type Fixture, openFixture, webObjects } from "./cluster-fixture";
import { asManifest, labTopology, labWorkload } from "./lab-workload";

const workersOnly = "!cluster.x-k8s.io/control-plane";
const addOns = ["cluster-api", "cluster-api-openstack"] as const;

/** One program, four layers on one machine: a cluster, Cluster API on it, a workload cluster whose machines are nodes of the lab, a network function. */
describe("Cluster API with nodes of the lab", function () {
    this.timeout("25m");
    asStory(this);
    let fixture: Fixture;
    let provider: LabProvider;
    let components: string;

    interface Wish {
        workers?: number;
        release?: number;
        others?: Record<string, object>;
    }
    const give = async ({ workers = 1, release = 1, others = {} }: Wish = {}) => {
        const cluster = { ...clusterArguments(fixture.lab, { masters: ["m1"], workers: [] }), registries: {} };
        const featureGates = { ClusterTopology: true };
        const management = {
            bundle: fixture.bundle,
            providers: {
                "cluster-api": { featureGates },
                "bootstrap-kubeadm": {},
                "control-plane-kubeadm": { featureGates },
                [labProvider.label]: { version: labProvider.version, components },
            },
        };
        const site = {
            manifests: [asManifest(labWorkload("site", { release }))],
            variables: { WORKERS: `${workers}` },
            timeoutSeconds: 900,
        };
        const all = {
            cluster,
            management,
            workloads: { site, ...others },
            workloadCnfs: { site: { web: { objects: webObjects, namespace: "web", timeoutSeconds: 240 } } },
        };
        await fixture.project.setConfig(
            Object.fromEntries(Object.entries(all).map(([key, value]) => [key, JSON.stringify(value)])),
            { secrets: JSON.stringify({ privateKey: fixture.lab.node("m1").privateKey }) },
        );
    };
    const onSite = async (...args: string[]) => {
        const file = join(fixture.folder, "site.kubeconfig");
        writeFileSync(file, await fixture.project.output("kubeconfig-site"), { mode: 0o600 });
        const kubectl = join(fixture.bundle, "bin", "kubectl");
        return command(fixture.lab.enter([kubectl, "--kubeconfig", file, ...args]));
    };
    const machines = async (cluster = "site") =>
        JSON.parse(await fixture.project.output(`machines-${cluster}`)) as WorkloadMachine[];
    const workers = async () => (await machines()).filter(({ role }) => role !== "control-plane");
    const isReady = async (name: string) =>
        onSite("get", "node", name, "-o", 'jsonpath={.status.conditions[?(@.type=="Ready")].status}');
    const settled = async (count: number) => {
        const now = await workers();
        assert.equal(now.length, count);
        for (const { name } of now) assert.equal(await isReady(name), "True", name);
        // The lab has what Cluster API says, and nothing else.
        const wanted = ["m1", ...(await machines()).map(({ name }) => name)];
        assert.deepEqual(
            fixture.lab
                .status()
                .map(({ name }) => name)
                .sort(),
            wanted.sort(),
        );
    };
    const start = () => fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    const names = async (...args: string[]) =>
        (await fixture.kubectl("get", ...args, "-o", "name")).split("\n").filter(name => name !== "");

    /** All that the management cluster has of a workload cluster. */
    const remains = async (cluster: string) => {
        const kinds = (await fixture.kubectl("api-resources", "--categories=cluster-api", "-o", "name"))
            .trim()
            .split("\n");
        const all = ["secrets", "configmaps", ...kinds.filter(kind => !kind.startsWith("providers."))].join(",");
        return (await names(all)).filter(name => name.split("/")[1]!.startsWith(cluster));
    };

    before(async () => {
        fixture = await openFixture({ name: "capinodes", nodes: ["m1"], addOns });
        components = writeComponents(fixture.folder);
        provider = new LabProvider({
            lab: fixture.lab,
            addOns,
            kubectl: join(fixture.bundle, "bin", "kubectl"),
            kubeconfig: async () => {
                const { code, stdout } = await fixture.lab.ssh("m1", "cat /etc/kubernetes/admin.conf");
                return code === 0 ? stdout : undefined;
            },
            report: line => console.log(`        ${line}`),
        });
    });
    after(async () => {
        await provider?.stop();
        await fixture?.close();
    });

    it("makes all four layers in one `up`: the function answers on the workload cluster", async () => {
        await give();
        await fixture.project.up();
        await settled(1);
        await eventually(60, async () => {
            const said = await onSite("get", "--raw", "/api/v1/namespaces/web/services/web:80/proxy/");
            assert.match(said, /web on site-md-/);
        });
    });

    it("changes nothing when `up` runs again, and after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("says that it adds a machine, does it, and takes it away again", async () => {
        await give({ workers: 2 });
        assert.match(await fixture.project.preview(), /site: pool md: 1 machine will be added/);
        await fixture.project.up();
        await settled(2);
        await give();
        assert.match(await fixture.project.preview(), /site: pool md: 1 machine will be removed/);
        await fixture.project.up();
        await settled(1);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("replaces a machine whose node was powered off", async () => {
        const [lost] = await workers();
        await fixture.lab.powerOff(lost!.name);
        await eventually(300, async () => {
            const now = await names("machines", "-l", workersOnly);
            assert.deepEqual([now.length, now.includes(`machine.cluster.x-k8s.io/${lost!.name}`)], [1, false]);
            const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
            assert.equal(await fixture.kubectl("get", now[0]!, "-o", ready), "True");
        });
        // The outputs follow.
        await fixture.project.up({ refresh: true });
        await settled(1);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("converges when the controllers are killed in the middle of a scale", async () => {
        await give({ workers: 2 });
        const { done } = start();
        await eventually(60, async () => assert.equal((await names("machines", "-l", workersOnly)).length, 2));
        for (const namespace of ["capi-system", "capi-kubeadm-bootstrap-system", "capi-kubeadm-control-plane-system"]) {
            await fixture.kubectl("-n", namespace, "delete", "pods", "--all", "--grace-period=0", "--force");
        }
        const { code, output } = await done;
        assert.equal(code, 0, output);
        await settled(2);
        await give();
        await fixture.project.up();
        await settled(1);
    });

    it("converges when the management cluster's node loses power in the middle of a scale", async () => {
        await give({ workers: 2 });
        const { done } = start();
        await eventually(60, async () => assert.equal((await names("machines", "-l", workersOnly)).length, 2));
        await fixture.lab.powerOff("m1");
        await new Promise(resolve => setTimeout(resolve, 10_000));
        await fixture.lab.powerOn("m1");
        const { code } = await done;
        console.log(`        the interrupted up ended with ${code}`);
        await fixture.project.up();
        await settled(2);
        await give();
        await fixture.project.up();
        await settled(1);
    });

    it("replaces the control plane and the workers when their templates change", async () => {
        const before = (await machines()).map(({ name }) => name);
        await give({ release: 2 });
        const preview = await fixture.project.preview();
        assert.match(preview, /site: control plane: 1 machine will be replaced, one after the other: other servers/);
        assert.match(preview, /site: pool md: 1 machine will be replaced/);
        await fixture.project.up();
        await settled(1);
        for (const { name } of await machines()) assert.equal(before.includes(name), false, name);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("takes over a Cluster that kubectl has applied, without a change of its machines", async () => {
        const text = substitute(asManifest(labWorkload("other")), { WORKERS: "0" }, "other");
        const file = join(fixture.folder, "other.yaml");
        writeFileSync(file, text);
        await fixture.kubectl("apply", "--server-side", "-f", file);
        const available = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
        await eventually(400, async () =>
            assert.equal(await fixture.kubectl("get", "cluster", "other", "-o", available), "True"),
        );
        const before = await names("machines", "-l", "cluster.x-k8s.io/cluster-name=other");
        const others = { other: { manifests: [asManifest(labWorkload("other"))], variables: { WORKERS: "0" } } };
        await give({ release: 2, others });
        const refused = await start().done;
        assert.notEqual(refused.code, 0);
        assert.match(refused.output, /NOT_OURS/);
        const said = refused.output.match(/kubectl .* annotate \S+ \S+ \S*hand-over-to=\S+/g) ?? [];
        const commands = [...new Set(said)];
        assert.equal(commands.length, labWorkload("other").length, refused.output);
        for (const each of commands) await fixture.kubectl(...each.split(" ").slice(1));
        await fixture.project.up();
        assert.deepEqual(await names("machines", "-l", "cluster.x-k8s.io/cluster-name=other"), before);
        await fixture.project.up({ expectNoChanges: true });
        await give({ release: 2 });
        await fixture.project.up();
        assert.deepEqual(await remains("other"), []);
        await settled(1);
    });

    it("makes a cluster of a class", async () => {
        const others = { classy: { manifests: [asManifest(labTopology("classy"))], timeoutSeconds: 900 } };
        await give({ release: 2, others });
        await fixture.project.up();
        assert.equal((await machines("classy")).filter(({ ready }) => ready).length, 2);
        await fixture.project.up({ expectNoChanges: true });
        await give({ release: 2 });
        await fixture.project.up();
        assert.deepEqual(await remains("classy"), []);
        await settled(1);
    });

    it("leaves no machine after `pulumi destroy`", async () => {
        await give({ release: 2 });
        await fixture.project.destroy();
        assert.deepEqual(
            fixture.lab.status().map(({ name }) => name),
            ["m1"],
        );
        assert.deepEqual(JSON.parse(await fixture.project.exportStack()).deployment.resources ?? [], []);
    });
});
