import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AddOnName } from "../../tools/oci/add-on-images";
import { versions } from "../../tools/versions";
import { Lab } from "../lab";
import { type Balancer, startBalancer } from "./balancer";
import { clusterAct } from "./cluster-act";
import { clusterOf, frontsOf, type Look, look, nodeVersions, own, seenMachine, together } from "./look";
import { finalizer, machineAct } from "./machine-act";
import { type ManagementApi, openManagementApi } from "./management-api";
import type { LabCluster, LabMachine, Metadata, Status } from "./types";

export interface LabProviderOptions {
    lab: Lab;
    /** kubeconfig of each management cluster; undefined while it is not known yet. Clusters may move from one to another. */
    kubeconfigs: readonly (() => Promise<string | undefined>)[];
    /** Path of kubectl. */
    kubectl: string;
    /** Images that nodes have besides Kubernetes' own: those of the lab's other nodes spare an image of their own. */
    addOns: readonly AddOnName[];
    /**
     * Versions of Kubernetes that machines may have, as images of a cloud: while a cluster is upgraded, nodes of one run containers of another.
     * @default the pinned one
     */
    kubernetes?: readonly string[];
    /** Receives a line about each machine that is made or removed, and about failures. */
    report?: (line: string) => void;
}

interface Management {
    kubeconfig: () => Promise<string | undefined>;
    api?: ManagementApi;
    isAnswering: boolean;
    /** As of the last look: a cluster that manages itself is reached by way of them. */
    fronts: Record<string, string[]>;
}

/**
 * The controller of an infrastructure provider for Cluster API whose machines are nodes of a lab. It looks once a second, and what it does
 * follows from what it sees then: it can be stopped and started again at any time.
 */
export class LabProvider {
    private readonly folder = mkdtempSync(join(tmpdir(), "lab-provider-"));
    private readonly balancer: Balancer;
    private readonly busy = new Set<string>();
    private readonly ended: Promise<void>;
    private readonly managements: Management[];
    private isStopped = false;

    constructor(private readonly options: LabProviderOptions) {
        this.managements = options.kubeconfigs.map(kubeconfig => ({ kubeconfig, isAnswering: false, fronts: {} }));
        this.balancer = startBalancer(options.lab);
        this.ended = this.loop();
    }

    async stop(): Promise<void> {
        this.isStopped = true;
        await this.ended;
        while (this.busy.size > 0) await sleep(100);
        for (const { api } of this.managements) api?.stop();
        this.balancer.stop();
        rmSync(this.folder, { recursive: true, force: true });
    }

    private say(line: string): void {
        this.options.report?.(line);
    }

    private async loop(): Promise<void> {
        while (!this.isStopped) {
            await Promise.all(
                this.managements.map(each =>
                    this.round(each).catch((error: Error) => {
                        if (each.isAnswering) this.say(`the management cluster does not answer: ${error.message}`);
                        each.isAnswering = false;
                    }),
                ),
            );
            await sleep(1000);
        }
    }

    private async round(management: Management): Promise<void> {
        management.api ??= await this.open(management);
        const { api } = management;
        if (api === undefined) return;
        const all: Look = { ...(await look(api)), nodes: this.options.lab.status() };
        management.isAnswering = true;
        management.fronts = frontsOf(all);
        await this.balancer.set(together(this.managements.map(({ fronts }) => fronts)));
        for (const each of all.labClusters) await this.reconcileCluster(api, each, all);
        for (const each of all.labMachines) void this.reconcileMachine(api, each, all);
    }

    private async open(management: Management): Promise<ManagementApi | undefined> {
        const { lab, kubectl } = this.options;
        const text = await management.kubeconfig();
        if (text === undefined) return undefined;
        const file = join(this.folder, `kubeconfig-${this.managements.indexOf(management)}`);
        writeFileSync(file, text, { mode: 0o600 });
        return openManagementApi(lab.enter([kubectl, "--kubeconfig", file]), `${file}.socket`);
    }

    private async reconcileCluster(api: ManagementApi, cluster: LabCluster, all: Look): Promise<void> {
        const taken = all.labClusters.flatMap(({ spec }) => spec?.controlPlaneEndpoint?.host ?? []);
        const act = clusterAct(cluster, clusterOf(cluster.metadata, all), taken);
        if (act.do === "wait") return;
        cluster.spec = { ...cluster.spec, controlPlaneEndpoint: act.endpoint };
        await write(api, pathOf("labclusters", cluster.metadata), { controlPlaneEndpoint: act.endpoint }, act.status);
    }

    /** Making a node takes seconds: other machines do not wait for it. */
    private async reconcileMachine(api: ManagementApi, machine: LabMachine, all: Look): Promise<void> {
        const { name, uid } = machine.metadata;
        if (this.busy.has(uid)) return;
        this.busy.add(uid);
        try {
            await this.act(api, machine, all);
        } catch (error) {
            this.say(`${name}: ${(error as Error).message}`);
        } finally {
            this.busy.delete(uid);
        }
    }

    private async act(api: ManagementApi, machine: LabMachine, all: Look): Promise<void> {
        const { metadata } = machine;
        const { name, resourceVersion, finalizers = [] } = metadata;
        const path = pathOf("labmachines", metadata);
        const seen = seenMachine(machine, all);
        const act = machineAct(seen, new Date().toISOString().replace(/\.\d+/, ""));
        switch (act.do) {
            case "wait":
                return;
            case "hold":
                return api.patch(path, { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } });
            case "make":
                this.say(`${name}: is made`);
                return this.make(api, metadata, act.bootstrapSecret, seen.owner?.spec?.version);
            case "report":
                return write(api, path, { providerID: act.providerID }, act.status);
            case "remove": {
                this.say(`${name}: is removed`);
                await this.options.lab.removeNode(name);
                const others = finalizers.filter(each => each !== finalizer);
                return api.patch(path, { metadata: { resourceVersion, finalizers: others } });
            }
        }
    }

    private async make(
        api: ManagementApi,
        { name, namespace }: Metadata,
        bootstrapSecret: string,
        version: string | undefined,
    ): Promise<void> {
        const { lab, addOns, kubernetes: known = [versions.kubernetes], report } = this.options;
        const kubernetes = nodeVersions(version, known);
        const secret = await api.get<{ data: { value: string } }>(
            `/api/v1/namespaces/${namespace}/secrets/${bootstrapSecret}`,
        );
        const userData = { [name]: Buffer.from(secret.data.value, "base64").toString() };
        await Lab.up({
            ...{ name: lab.name, nodes: [name], image: "kubernetes", addOns, kubernetes, userData, report },
        });
    }
}

const pathOf = (plural: string, { namespace, name }: Metadata) => `${own}/namespaces/${namespace}/${plural}/${name}`;

/** The status last: it says that the rest is there. */
async function write(api: ManagementApi, path: string, spec: object, status: Status): Promise<void> {
    await api.patch(path, { spec });
    await api.patch(`${path}/status`, { status: { addresses: null, ...status } });
}
