import { strict as assert } from "node:assert";
import * as path from "node:path";
import type { KubernetesClusterArgs } from "../../../components/args/args";
import { projectRoot } from "../../../dev/levels";
import { Lab } from "../../../lab";
import type { SystemName } from "../../../lab/images";
import { run } from "../../../lab/process";
import {
    canaries,
    clusterArguments,
    eventually,
    type Fixture,
    machineOf,
    openFixture,
    webObjects,
} from "../cluster-fixture";
import { footprints } from "../cluster-observed";
import { sampleProcesses } from "../process-sampler";
import { from, programsOf, to } from "../upgrade-fixture";

/** The program, as far as the story changes it. */
export interface Wish {
    /** Arguments of KubernetesCluster. */
    cluster: any;
    /** Replicas of the network function "web". */
    replicas: number;
    /** Further network functions. */
    cnfs: Record<string, object>;
}

/** One cluster and its program, from the first run to the last. */
export class Life {
    fixture!: Fixture;
    wish!: Wish;
    /** What runs with --json have printed. */
    events = "";
    /** What the machines had before. */
    untouched!: Record<string, string>;
    private readonly bundles: Record<string, string> = {};
    private readonly processes = sampleProcesses();
    private readonly name = "life";

    /** It begins with the first machine of each kind. `system`: the machine's own by default. */
    constructor(
        readonly controlPlaneNodes: readonly string[],
        readonly workers: readonly string[],
        readonly system?: SystemName,
    ) {}

    get nodes(): string[] {
        return [...this.controlPlaneNodes, ...this.workers];
    }

    async open(): Promise<void> {
        const { nodes } = this;
        this.fixture = await openFixture({ name: this.name, nodes, kubernetes: [from, to], system: this.system });
        this.untouched = await footprints(this.fixture);
        const usual = clusterArguments(this.fixture.lab, { masters: ["m1"], workers: ["w1"] });
        const cluster = { ...usual, kubernetes: await this.programs(from) };
        // A drain ends when the pods are gone. It is not part of this story how long that takes.
        this.wish = { cluster: { ...cluster, drain: { timeoutSeconds: 900 }, proxy: {} }, replicas: 1, cnfs: {} };
        await this.give();
    }

    async close(): Promise<void> {
        this.processes.stop();
        await this.fixture?.close();
    }

    /** From now on the program asks for this. */
    async give(change: (wish: Wish) => void = () => {}): Promise<void> {
        change(this.wish);
        const { cluster, replicas, cnfs } = this.wish;
        const secrets = { privateKey: this.fixture.lab.node("m1").privateKey, ...canaries };
        const values = { cluster, objects: webObjects, replicas: { web: replicas }, cnfs };
        await this.fixture.project.setConfig(
            Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])),
            { secrets: JSON.stringify(secrets) },
        );
    }

    /** Its arguments in the program, without the secrets. */
    get args(): KubernetesClusterArgs {
        return this.wish.cluster;
    }

    /** A machine as `infrastructure.hosts` has it. */
    machine(name: string): object {
        return machineOf(this.fixture.lab, name);
    }

    /** This version, with programs from a bundle; the machines have the images of both. */
    async programs(version: string): Promise<object> {
        this.bundles[version] ??= await programsOf(version, this.fixture.folder);
        return { version, source: { bundle: { path: this.bundles[version] } } };
    }

    /** Retries until it works. Gives up when for three minutes neither what is seen, nor any object of the cluster that tells of its progress has changed. */
    settles<T>(attempt: () => Promise<T>): Promise<T> {
        const moving = ["get", "events,pods", "-A", "-o", "jsonpath={.items[*].metadata.resourceVersion}"];
        const pulse = () => this.fixture.kubectl(...moving, "--request-timeout=10s").catch(String);
        return eventually(180, attempt, { pulse });
    }

    /** Name of each node → the version of its kubelet. They are all Ready, and pods may come to each. */
    ready(): Promise<Record<string, string>> {
        return this.settles(async () => {
            const { items } = JSON.parse(await this.fixture.kubectl("get", "nodes", "-o", "json"));
            const bad = items.filter(({ spec, status }: any) => {
                const isReady = status.conditions.some((each: any) => each.type === "Ready" && each.status === "True");
                return !isReady || spec.unschedulable;
            });
            assert.deepEqual(
                bad.map(({ metadata }: any) => metadata.name),
                [],
                "not in service",
            );
            return Object.fromEntries(
                items.map(({ metadata, status }: any) => [metadata.name, status.nodeInfo.kubeletVersion]),
            );
        });
    }

    /** A `pulumi up` that ends with an error; returns what it said. */
    async fails(...words: string[]): Promise<string> {
        const { code, output } = await this.fixture.project.start([...words, "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        return output;
    }

    /** What `nfv check` says, as a pipeline asks. */
    async check(): Promise<{ code: number; found: { node: string; code: string; up?: string }[] }> {
        const { output } = await this.fixture.project.start(["stack", "export", "--show-secrets"]).done;
        const nfv = [process.execPath, path.join(projectRoot, "dist/tools/nfv.js"), "check", "--json", "--state", "-"];
        const { stdout, code } = await run(this.fixture.lab.enter(nfv), { stdin: output, anyExit: true });
        return { code, found: JSON.parse(stdout).found };
    }

    /** Another machine comes in the place of this one: blank, with another host key. */
    async reinstall(name: string): Promise<void> {
        await this.fixture.lab.removeNode(name);
        const { system } = this;
        await Lab.up({ name: this.name, nodes: [name], image: "kubernetes", kubernetes: [from, to], system });
    }

    /** Command lines of all processes until now. */
    get processLists(): { text: string; count: number } {
        return { text: this.processes.text(), count: this.processes.count() };
    }
}
