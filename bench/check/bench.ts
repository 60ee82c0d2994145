import { writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { queriesArgv } from "../../provider/steps/queries";
import { tryRun } from "../../tools/run";
import { compare, format, interleave, machine, median, seconds } from "../harness";
import { BenchProject } from "../project";
import { simulatedCluster } from "../simulation/simulated-cluster";
import { type Bench, wholeNumber } from "../types";

const masters = 3;
const goalSeconds = 10;
const names = {
    ours: "nfv check",
    together: "a login to each machine, all at once",
    loop: "a login to each machine, one after another",
};

export const checkBench: Bench = {
    about: "nfv check of a simulated fleet: against logins to its machines by the same SSH library, all at once and one after another",
    rounds: 3,
    options: { nodes: { about: "number of machines", default: "100" } },
    async run({ rounds, options, say }) {
        const nodes = wholeNumber(options, "nodes");
        const project = await BenchProject.make({ program: "cluster", say });
        const cluster = await simulatedCluster(masters, nodes - masters);
        try {
            say(`making a cluster of ${nodes} nodes`);
            project.give(cluster.args);
            await project.up();
            const state = await project.exportStack();
            const targets = join(project.folder, "targets.json");
            const all = [...cluster.fleet.nodes.keys()].map(name => cluster.fleet.target(name));
            writeFileSync(targets, JSON.stringify(all), { mode: 0o600 });
            const extension = extname(__filename);
            const node = [process.execPath, ...process.execArgv];
            const looks = () =>
                [...cluster.fleet.nodes.values()].reduce(
                    (sum, each) => sum + each.seen({ startsWith: [...queriesArgv] }).length,
                    0,
                );
            let said = "";
            let perMachine = 0;
            const check = () =>
                seconds(async () => {
                    const before = looks();
                    const nfv = join(__dirname, `../../tools/nfv${extension}`);
                    const { stdout, stderr } = await tryRun([...node, nfv, "check", "--json", "--state", "-"], {
                        input: state,
                    });
                    perMachine = (looks() - before) / nodes;
                    const { found } = JSON.parse(stdout || stderr) as { found: { code: string }[] };
                    said = [...new Set(found.map(({ code }) => code))].join(", ") || "nothing";
                });
            const logins = (how: string) => () =>
                seconds(async () => {
                    const { exitCode, stderr } = await tryRun([
                        ...node,
                        join(__dirname, `logins${extension}`),
                        targets,
                        how,
                    ]);
                    if (exitCode !== 0) throw new Error(stderr);
                });
            const samples = await interleave(
                [
                    { name: names.ours, run: check },
                    { name: names.together, run: logins("together") },
                    { name: names.loop, run: logins("loop") },
                ],
                rounds,
                say,
            );
            return {
                bench: "check",
                how: [
                    `${masters} masters + ${nodes - masters} workers, n = ${rounds}; ${machine()}`,
                    "Machines are real SSH servers on 127.0.0.1, all in one process, that answer at once: what a look costs on a machine itself is left out.",
                    "nfv check reads the stack's state from standard input and asks all machines. A login: the same SSH library, a new connection, `true`.",
                ],
                comparisons: [
                    compare(samples, { ours: names.ours, rival: names.together }),
                    compare(samples, { ours: names.ours, rival: names.loop, goal: { atMost: 1 } }),
                ],
                facts: {
                    [`seconds of nfv check (goal: below ${goalSeconds})`]: format(median(samples[names.ours]!)),
                    "found by nfv check": said,
                    "looks per machine in a check": perMachine.toFixed(2),
                },
                samples,
            };
        } finally {
            await cluster.stop();
            project.remove();
        }
    },
};
