import { writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { resolveTool } from "../../tools/resolver";
import { run as runProgram } from "../../tools/run";
import { criticalPath, oneAfterAnother } from "../critical-path";
import { compare, interleave, machine, median, seconds } from "../harness";
import { BenchProject } from "../project";
import { type RecordedSource, readRecordedSteps, recordedSeconds } from "../recorded-steps";
import { type SimulatedCluster, simulatedCluster } from "../simulation/simulated-cluster";
import { idsOf, type PlannedCluster, plannedCluster } from "../stored-cluster";
import { type Bench, wholeNumber } from "../types";

const names = {
    ours: "pulumi up",
    serial: "node after node",
    command: "command.remote.Command",
};

export const fleetBench: Bench = {
    about: "pulumi up on a simulated fleet: against node after node, and command.remote.Command",
    rounds: 1,
    options: {
        masters: { about: "masters", default: "3" },
        workers: { about: "workers", default: "50" },
        parallel: { about: "pulumi up --parallel, ours and Command's", default: "64" },
        source: { about: "image (ready machines) or bundle (machines that install everything)", default: "bundle" },
        rivals: { about: "which of serial, command run beside ours, or none", default: "serial,command" },
        "time-scale": { about: "factor on the recorded durations", default: "1" },
    },
    async run({ rounds, options, say }) {
        const [masters, workers] = [wholeNumber(options, "masters"), wholeNumber(options, "workers")];
        const parallel = ["--parallel", `${wholeNumber(options, "parallel")}`];
        const scale = Number(options["time-scale"]);
        const source = options["source"] as RecordedSource;
        const recorded = readRecordedSteps(source);
        const time = recordedSeconds(recorded);
        const fleet = () => simulatedCluster(masters, workers, time, { timeScale: scale, source });
        const wanted = options["rivals"].split(",");
        if (wanted.includes("command")) {
            await resolveTool("plugin-command").catch((error: Error) => {
                wanted.splice(wanted.indexOf("command"), 1);
                say(`${names.command} is left out: ${error.message.split("\n")[1]!.trim()}`);
            });
        }
        const load = machine();
        let planned: PlannedCluster | undefined;
        /** Path of the machines' files in the run that planned: each run has its own folder. */
        let plannedBundle = "";

        /** Every run gets new machines and a new project; making them is not timed. */
        const onFresh = async (
            program: string,
            work: (project: BenchProject, cluster: SimulatedCluster) => Promise<number>,
        ) => {
            const plugins = program === "command" ? (["command"] as const) : [];
            const project = await BenchProject.make({ program, plugins: [...plugins], say });
            const cluster = await fleet();
            try {
                return await work(project, cluster);
            } finally {
                await cluster.stop();
                project.remove();
            }
        };
        const ours = () =>
            onFresh("cluster", async (project, cluster) => {
                project.give(cluster.args);
                const taken = await seconds(() => project.up(...parallel));
                const begun = cluster.fleet.begun().length;
                plannedBundle = cluster.bundle ?? "";
                planned = plannedCluster(cluster.args);
                say(`${names.ours}: ${begun} steps ran on ${masters + workers} machines`);
                return taken;
            });
        const serial = () =>
            onFresh("empty", async (project, cluster) => {
                const file = join(project.folder, "work.json");
                const targets = Object.fromEntries(
                    [...cluster.fleet.nodes.keys()].map(name => [name, cluster.fleet.target(name)]),
                );
                const work = JSON.stringify({ cluster: planned, targets });
                const placed = cluster.bundle ? work.replaceAll(plannedBundle, cluster.bundle) : work;
                writeFileSync(file, placed, { mode: 0o600 });
                const script = join(__dirname, `node-after-node${extname(__filename)}`);
                return seconds(() => runProgram([process.execPath, ...process.execArgv, script, file]));
            });
        const command = () =>
            onFresh("command", async (project, cluster) => {
                const { machines, ...wide } = idsOf(planned!);
                project.give({
                    machines: machines.map(each => ({
                        ...each,
                        ...wide,
                        connection: connectionOf(cluster, each.name),
                    })),
                });
                return seconds(() => project.up(...parallel));
            });
        const rivals = [
            { key: "serial", name: names.serial, run: serial },
            { key: "command", name: names.command, run: command },
        ].filter(({ key }) => wanted.includes(key));
        const samples = await interleave([{ name: names.ours, run: ours }, ...rivals], rounds, say);
        const steps = idsOf(planned!);
        const allSteps = oneAfterAnother(steps, time) * scale;
        return {
            bench: "fleet",
            how: [
                `${masters} masters + ${workers} workers, n = ${rounds}; ${load}`,
                "Machines are real SSH servers on 127.0.0.1 that take the time which each step took on a real machine, and do nothing.",
                `Durations${scale === 1 ? "" : ` × ${scale}`}: ${recorded.source}`,
                "node after node: the same steps by the same engine without Pulumi, one machine after another.",
                "command.remote.Command: a resource for each step, chained on each machine, the cluster's own edges between machines.",
                `pulumi up ${parallel.join(" ")} on both sides.`,
            ],
            comparisons: [
                { ours: names.ours, rival: names.serial, goal: { timesFaster: 8 } },
                { ours: names.ours, rival: names.command },
            ]
                .filter(({ rival }) => rivals.some(({ name }) => name === rival))
                .map(question => compare(samples, question)),
            facts: {
                "seconds of the critical path, from the durations alone": (criticalPath(steps, time) * scale).toFixed(
                    1,
                ),
                "seconds of all steps one after another, from the durations alone": allSteps.toFixed(1),
                "times faster than these": (allSteps / median(samples[names.ours])).toFixed(1),
            },
            samples,
        };
    },
};

/** Connection arguments of Command, which does not check host keys. */
function connectionOf(cluster: SimulatedCluster, name: string) {
    const { host, port, user, privateKey } = cluster.fleet.target(name);
    return { host, port, user, privateKey, perDialTimeout: 60 };
}
