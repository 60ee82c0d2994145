import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asManifest, type LabWorkloadOptions, labWorkload } from "../../dev/lab-workload";
import { LabProvider, labProvider, writeComponents } from "../../lab/cluster-api";
import type { WorkloadMachine } from "../../provider/cluster-api/workload-machines";
import { versions } from "../../tools/versions";
import { clusterArguments, command, eventually, type Fixture, openFixture, webObjects } from "./cluster-fixture";

/** Its machines are the lab's, so it needs no provider of a cloud. */
const addOns = ["cluster-api"] as const;

export interface Wish {
    /** @default 1 */
    workers?: number;
    /** What the cluster is made of besides; null: there is no such cluster. */
    site?: LabWorkloadOptions | null;
    /** Its network function. @default a web server */
    objects?: object[];
    /** Whether it can move to another management cluster. @default false */
    movable?: boolean;
    /** Further workload clusters. */
    others?: Record<string, object>;
    /** A cluster that manages itself, and its login if the program does not make it. */
    pivot?: { settings: object; login?: object };
}

export interface Place {
    /** Versions that machines may have. @default the pinned one, which is always the first */
    kubernetes?: readonly string[];
    /** kubeconfigs of further management clusters. */
    others?: readonly (() => Promise<string | undefined>)[];
}

/** A cluster of one node, m1, Cluster API on it, and a workload cluster "site" whose machines are nodes of the lab, with a network function. */
export class WorkloadOnNodes {
    private constructor(
        readonly fixture: Fixture,
        private readonly provider: LabProvider,
        private readonly components: string,
    ) {}

    static async open(
        name: string,
        { kubernetes = [versions.kubernetes], others = [] }: Place = {},
    ): Promise<WorkloadOnNodes> {
        const fixture = await openFixture({ name, nodes: ["m1"], addOns, kubernetes });
        const provider = new LabProvider({
            lab: fixture.lab,
            addOns,
            kubernetes,
            kubectl: join(fixture.bundle, "bin", "kubectl"),
            kubeconfigs: [
                async () => {
                    const { code, stdout } = await fixture.lab.ssh("m1", "cat /etc/kubernetes/admin.conf");
                    return code === 0 ? stdout : undefined;
                },
                ...others,
            ],
            report: line => console.log(`        ${line}`),
        });
        return new WorkloadOnNodes(fixture, provider, writeComponents(fixture.folder));
    }

    async close(): Promise<void> {
        await this.provider.stop();
        await this.fixture.close();
    }

    /** Makes the program's configuration what is wished. */
    async give({
        workers = 1,
        site: options = {},
        objects = webObjects,
        movable = false,
        others = {},
        pivot,
    }: Wish = {}): Promise<void> {
        const { fixture, components } = this;
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
        const site = options && {
            manifests: [asManifest(labWorkload("site", options))],
            variables: { WORKERS: `${workers}` },
            timeoutSeconds: 900,
            ...(movable && { movable }),
        };
        const all = {
            cluster,
            management,
            workloads: { ...(site && { site }), ...others },
            pivot: pivot?.settings ?? null,
            workloadCnfs: { site: { web: { objects, namespace: "web", timeoutSeconds: 240 } } },
        };
        await fixture.project.setConfig(
            Object.fromEntries(Object.entries(all).map(([key, value]) => [key, JSON.stringify(value)])),
            { secrets: JSON.stringify({ privateKey: fixture.lab.node("m1").privateKey, ...pivot?.login }) },
        );
    }

    /** Path of the workload cluster's kubeconfig. */
    async kubeconfig(): Promise<string> {
        const { fixture } = this;
        const file = join(fixture.folder, "site.kubeconfig");
        writeFileSync(file, await fixture.project.output("kubeconfig-site"), { mode: 0o600 });
        return file;
    }

    /** kubectl on the workload cluster. */
    async onSite(...args: string[]): Promise<string> {
        const { fixture } = this;
        const kubectl = join(fixture.bundle, "bin", "kubectl");
        return command(fixture.lab.enter([kubectl, "--kubeconfig", await this.kubeconfig(), ...args]));
    }

    /** The output of that name. */
    async machines(cluster = "site"): Promise<WorkloadMachine[]> {
        return JSON.parse(await this.fixture.project.output(`machines-${cluster}`)) as WorkloadMachine[];
    }

    async controlPlane(): Promise<WorkloadMachine[]> {
        return (await this.machines()).filter(({ role }) => role === "control-plane");
    }

    async workers(): Promise<WorkloadMachine[]> {
        return (await this.machines()).filter(({ role }) => role !== "control-plane");
    }

    /** So many workers are Ready, and the lab has what Cluster API says and nothing else. */
    async settled(count: number): Promise<void> {
        const now = await this.workers();
        assert.equal(now.length, count);
        const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
        for (const { name } of now) assert.equal(await this.onSite("get", "node", name, "-o", ready), "True", name);
        const wanted = ["m1", ...(await this.machines()).map(({ name }) => name)];
        assert.deepEqual(this.nodes(), wanted.sort());
    }

    /** Names of the lab's nodes. */
    nodes(): string[] {
        return this.fixture.lab
            .status()
            .map(({ name }) => name)
            .sort();
    }

    start() {
        return this.fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    }

    /** Objects of the management cluster. */
    async names(...args: string[]): Promise<string[]> {
        return (await this.fixture.kubectl("get", ...args, "-o", "name")).split("\n").filter(name => name !== "");
    }

    async answers(): Promise<void> {
        await eventually(60, async () => {
            const said = await this.onSite("get", "--raw", "/api/v1/namespaces/web/services/web:80/proxy/");
            assert.match(said, /web on site-md-/);
        });
    }
}
