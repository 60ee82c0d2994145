import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ImageName, Lab } from "../../lab";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { ensureBundle } from "../../tools/bundle";
import { run } from "../../tools/run";
import { versions } from "../../tools/versions";
import { criticalPath } from "../critical-path";
import { compare, interleave, machine, median, seconds } from "../harness";
import { BenchProject } from "../project";
import { recordingOf } from "../recorded-steps";
import { names } from "../simulation/simulated-cluster";
import { storedSteps } from "../stored-cluster";
import { type Bench, wholeNumber } from "../types";
import { journalScript, parseJournal } from "./journal";

const vip = "10.99.0.100";
const sides = { ours: "pulumi up", byHand: "by-hand.sh" };

export type Journals = Record<string, Record<string, number>>;

/** What a pair of runs shares. */
export interface Fixture {
    lab: Lab;
    masters: string[];
    workers: string[];
    kubectl: string;
    folder: string;
    say: (text: string) => void;
}

export const clusterBench: Bench = {
    about: "pulumi up of a real cluster on lab nodes: against a shell script by hand, and its own critical path",
    rounds: 2,
    options: {
        masters: { about: "masters", default: "3" },
        workers: { about: "workers", default: "2" },
        record: { about: "file for the durations of our steps, as in bench/recorded-steps.json", default: "" },
    },
    async run({ rounds, options, say }) {
        const masters = names("m", wholeNumber(options, "masters"));
        const workers = names("w", wholeNumber(options, "workers"));
        const kubectl = join(await ensureBundle({ onProgress: say }), "bin/kubectl");
        const load = machine();
        let stored: ReturnType<typeof storedSteps> | undefined;
        let journals: Journals = {};
        const paths: number[] = [];

        const ours = () =>
            onNewNodes({ masters, workers, kubectl, say }, async fixture => {
                const result = await pulumiUp(fixture);
                ({ stored, journals } = result);
                const time = (node: string, step: string) => journals[node][step] ?? 0;
                paths.push(criticalPath(result.stored, time));
                if (options["record"] !== "") {
                    const source = `journals of bench/cluster, ${masters.length} masters + ${workers.length} workers on lab nodes; ${load}`;
                    writeFileSync(options["record"], `${JSON.stringify(recordingOf(journals, source), null, 2)}\n`);
                }
                return result.taken;
            });
        const rival = () =>
            onNewNodes({ masters, workers, kubectl, say }, fixture => {
                const step = stored!.networkSteps.find(({ id }) => id === "cluster.network")!;
                return script(fixture, step.env!["MANIFEST"]);
            });
        const samples = await interleave(
            [
                { name: sides.ours, run: ours },
                { name: sides.byHand, run: rival },
            ],
            rounds,
            say,
        );
        const withPath = { ...samples, "its critical path": paths };
        return {
            bench: "cluster",
            how: [
                `${masters.length} masters + ${workers.length} workers, Kubernetes ${versions.kubernetes}, n = ${rounds}; ${load}`,
                "New lab nodes for every run, their image has Kubernetes; making and starting them is not timed.",
                "Both sides until kubectl says that all nodes are Ready and CoreDNS is rolled out.",
                "Ours also turns audit and encryption at rest on, makes a service account (Vim) and spreads CoreDNS over the nodes.",
                "Critical path: sums of whole seconds in the nodes' journals, along the edges of the design.",
            ],
            comparisons: [
                compare(samples, { ours: sides.ours, rival: sides.byHand, goal: { atMost: 1.15 } }),
                compare(withPath, { ours: sides.ours, rival: "its critical path" }),
            ],
            facts: { "seconds of the critical path, median": median(paths) },
            samples: withPath,
        };
    },
};

export async function onNewNodes<T>(
    what: Pick<Fixture, "masters" | "workers" | "kubectl" | "say">,
    work: (fixture: Fixture) => Promise<T>,
    image: ImageName = "kubernetes",
    name = "bench",
): Promise<T> {
    await Lab.remove(name);
    const nodes = [...what.masters, ...what.workers];
    const lab = await Lab.up({ name, nodes, image, report: what.say });
    const folder = mkdtempSync(join(tmpdir(), "nfv-bench-"));
    try {
        return await work({ ...what, lab, folder });
    } finally {
        await lab.down();
        rmSync(folder, { recursive: true, force: true });
    }
}

/** `upArgs`: further arguments of `pulumi up`; `kubernetes`: further settings of the input `kubernetes`. */
export async function pulumiUp(fixture: Fixture, kubernetes: Record<string, unknown> = {}, upArgs: string[] = []) {
    const { lab, masters, workers, kubectl, folder, say } = fixture;
    const project = await BenchProject.make({ program: "cluster", enter: argv => lab.enter(argv), say });
    try {
        const args = clusterArguments(lab, masters, workers);
        project.give({ ...args, kubernetes: { ...args.kubernetes, ...kubernetes } });
        const kubeconfig = join(folder, "kubeconfig");
        const taken = await seconds(async () => {
            await project.up(...upArgs);
            const text = await project.run("stack", "output", "kubeconfig", "--show-secrets");
            writeFileSync(kubeconfig, text, { mode: 0o600 });
            const ask = (...argv: string[]) => run(lab.enter([kubectl, "--kubeconfig", kubeconfig, ...argv]));
            await ask("wait", "--for=condition=Ready", "node", "--all", "--timeout=300s");
            await ask("-n", "kube-system", "rollout", "status", "deploy/coredns", "--timeout=300s");
        });
        const journals: Journals = {};
        for (const node of [...masters, ...workers]) {
            journals[node] = parseJournal(await lab.mustSsh(node, journalScript));
        }
        return { taken, journals, stored: storedSteps(await project.exportStack()) };
    } finally {
        project.remove();
    }
}

function script(fixture: Fixture, network: string): Promise<number> {
    writeFileSync(join(fixture.folder, "network.yaml"), network);
    return byHand(fixture);
}

/** Runs by-hand.sh with these words; it keeps what it needs later in the fixture's folder. */
export async function byHand(fixture: Fixture, ...words: string[]): Promise<number> {
    const { lab, masters, workers, kubectl, folder, say } = fixture;
    const manifest = join(folder, "network.yaml");
    const addresses = (list: string[]) => list.map(name => `${name}=${lab.node(name).address}`).join(" ");
    const env = {
        MASTERS: addresses(masters),
        WORKERS: addresses(workers),
        VIP: vip,
        KEY: lab.keyFile,
        WORK: folder,
        VERSION: versions.kubernetes,
        NETWORK: manifest,
        KUBECTL: kubectl,
    };
    let said = "";
    const taken = await seconds(async () => {
        said = await run(lab.enter(["bash", byHandScript(), ...words]), { env });
    }).catch(error => {
        const log = readdirSync(folder).find(file => file === "init.log");
        say(log === undefined ? "kubeadm init was not reached" : readFileSync(join(folder, log), "utf8"));
        throw error;
    });
    say(said.trimEnd());
    return taken;
}

function byHandScript(folder = __dirname): string {
    const file = join(folder, "bench/rivals/by-hand.sh");
    return existsSync(join(folder, "package.json")) && existsSync(file) ? file : byHandScript(dirname(folder));
}

/** The same settings as in by-hand.sh, as far as they affect the time. */
export function clusterArguments(lab: Lab, masters: string[], workers: string[]) {
    const machines = (list: string[]) =>
        Object.fromEntries(
            list.map(name => {
                const { address, hostKey } = lab.node(name);
                return [name, { address, ssh: { hostKey } }];
            }),
        );
    return {
        infrastructure: {
            hosts: {
                ssh: { user: "root", privateKey: readFileSync(lab.keyFile, "utf8") },
                controlPlane: machines(masters),
                pools: { workers: machines(workers) },
            },
        },
        kubernetes: { version: versions.kubernetes },
        controlPlane: { endpoint: { vip: { address: vip } } },
        pools: { workers: {} },
        kubelet: labKubelet,
        kubeProxy: { mode: "iptables", ...labKubeProxy },
    };
}
