import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { run as runProgram } from "../../tools/run";
import type { StepSeconds } from "../critical-path";
import { compare, interleave, machine, type Samples, seconds } from "../harness";
import { BenchProject } from "../project";
import { kindOf, readRecordedSteps, recordedUpgradeFile } from "../recorded-steps";
import { type SimulatedCluster, simulatedCluster, smallBundle } from "../simulation/simulated-cluster";
import { type Bench, wholeNumber } from "../types";
import type { RecordedUpgrade } from "./durations";
import { byHandCommands, stagingSeconds, sum, unavoidable } from "./path";

const to = "1.36.4";
const names = {
    ours: (atOnce: number) => `pulumi up, ${atOnce === 1 ? "worker after worker" : `${atOnce} workers at once`}`,
    byHand: "kubeadm by hand, node after node",
    path: (atOnce: number) => `what cannot be avoided, ${atOnce} at once`,
};

export const upgradeBench: Bench = {
    about: "an upgrade of a simulated fleet: against kubeadm by hand, node after node, and what cannot be avoided",
    rounds: 1,
    options: {
        masters: { about: "masters", default: "3" },
        workers: { about: "workers", default: "5" },
        "at-once": { about: "workers at once (maxUnavailable), with a comma between them", default: "1,2" },
        "time-scale": { about: "factor on the recorded durations", default: "1" },
    },
    async run({ rounds, options, say }) {
        const shape = { masters: wholeNumber(options, "masters"), workers: wholeNumber(options, "workers") };
        const scale = Number(options["time-scale"]);
        const recorded: RecordedUpgrade = JSON.parse(readFileSync(recordedUpgradeFile, "utf8"));
        const bundleSteps = readRecordedSteps("bundle");
        const stages = stagingSeconds(bundleSteps);
        const commands = byHandCommands(shape, stages, recorded.byHand);
        const time: StepSeconds = (node, step) =>
            recorded.ours[kindOf(node)][step] ?? bundleSteps.seconds[kindOf(node)][step] ?? 0;
        const widths = options["at-once"]!.split(",").map(Number);
        const load = machine();
        const paths: Samples = {};

        const ours = async (atOnce: number) => {
            const taken = await onCluster(shape, time, scale, say, async ({ cluster, project, bundle, begin }) => {
                const { kubernetes, ...args } = cluster.args as { kubernetes: object };
                const source = { bundle: { path: bundle } };
                const pools = { workers: { maxUnavailable: atOnce } };
                project.give({ ...args, pools, kubernetes: { ...kubernetes, version: to, source } });
                begin();
                const spent = await seconds(() => project.up());
                for (const { name, agent } of cluster.fleet.nodes.values())
                    if (agent.versions.kubelet !== to) throw new Error(`${name} has not moved`);
                return spent;
            });
            const least = unavoidable({ ...shape, atOnce }, stages, recorded.ours) * scale;
            paths[names.path(atOnce)] = [...(paths[names.path(atOnce)] ?? []), least];
            return taken;
        };
        const byHand = () =>
            onCluster(shape, time, scale, say, ({ cluster, project }) => {
                for (const [name, node] of cluster.fleet.nodes) {
                    node.on({ startsWith: ["by-hand"] }, ({ argv }) => ({
                        delaySeconds: commands.find(each => each[0] === name && each[1] === argv[1])![2] * scale,
                    }));
                }
                const targets = Object.fromEntries(
                    [...cluster.fleet.nodes].map(([name, { target }]) => [name, target]),
                );
                const file = join(project.folder, "work.json");
                writeFileSync(file, JSON.stringify({ targets, commands }), { mode: 0o600 });
                const script = join(__dirname, `node-after-node${extname(__filename)}`);
                return seconds(() => runProgram([process.execPath, ...process.execArgv, script, file]));
            });
        const subjects = widths.map(atOnce => ({ name: names.ours(atOnce), run: () => ours(atOnce) }));
        const taken = await interleave([...subjects, { name: names.byHand, run: byHand }], rounds, say);
        const samples = { ...taken, ...paths };
        return {
            bench: "upgrade",
            how: [
                `${shape.masters} masters + ${shape.workers} workers, n = ${rounds}; ${load}`,
                "Machines are real SSH servers on 127.0.0.1 that take the time which each part took on a lab node, and do nothing.",
                `Durations${scale === 1 ? "" : ` × ${scale}`}: ${recorded.source}. Staging, on both sides: ${bundleSteps.source}`,
                "By hand: each node stages, moves by kubeadm, is drained, gets kubelet, and is uncordoned when it is Ready; then the next one. Nothing is looked at or saved before.",
                "Ours also looks at the whole cluster before each node, saves etcd, and waits until the load balancers know each API server again.",
            ],
            comparisons: widths.flatMap(atOnce => [
                compare(samples, { ours: names.ours(atOnce), rival: names.byHand, ...(atOnce > 1 && goal) }),
                compare(samples, { ours: names.ours(atOnce), rival: names.path(atOnce) }),
            ]),
            facts: {
                "seconds by hand, from the durations alone": (sum(commands.map(each => each[2])) * scale).toFixed(1),
            },
            samples,
        };
    },
};

const goal = { goal: { atMost: 0.6 } };

interface Ready {
    cluster: SimulatedCluster;
    project: BenchProject;
    /** Of the new version. */
    bundle: string;
    /** From now on steps take their time. */
    begin(): void;
}

/** A new cluster of the former version; making it takes no simulated time. */
async function onCluster(
    { masters, workers }: { masters: number; workers: number },
    time: StepSeconds,
    timeScale: number,
    say: (text: string) => void,
    work: (ready: Ready) => Promise<number>,
): Promise<number> {
    let moves = false;
    const timed: StepSeconds = (node, step) => (moves ? time(node, step) : 0);
    // A control-plane node does these for the node that the script names.
    const forNode = (step: string) => (script: string) => ({
        seconds: timed(/^NAME='?([^'\n]*)'?$/m.exec(script)![1]!, step),
    });
    const steps = Object.fromEntries(["node.drain", "upgrade.back-in-service"].map(id => [id, forNode(id)]));
    const cluster = await simulatedCluster(masters, workers, timed, { timeScale, source: "bundle", steps });
    const project = await BenchProject.make({ program: "cluster", say });
    const bundle = smallBundle(to);
    try {
        project.give(cluster.args);
        await project.up();
        return await work({ cluster, project, bundle, begin: () => (moves = true) });
    } finally {
        await cluster.stop();
        project.remove();
        rmSync(bundle, { recursive: true });
    }
}
