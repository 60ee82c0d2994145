import { writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { run } from "../../tools/run";
import { ensurePackages } from "../../tools/system-packages";
import { compare, interleave, machine, seconds } from "../harness";
import { type Bench, wholeNumber } from "../types";
import { ansible, ansibleVersion, clientScript, endMasters, runAnsible, runClient, writeAnsibleFiles } from "./rivals";
import { startSshds } from "./sshd";

const names = {
    ours: "pulumi-nfv",
    ansible: `ansible-core ${ansibleVersion}`,
    multiplexed: "ssh, ControlMaster",
    plain: "ssh, one connection each",
};

export const sshBench: Bench = {
    about: "commands on many nodes: our SSH engine, ansible-core, the ssh client",
    rounds: 3,
    options: {
        nodes: { about: "how many nodes", default: "50" },
        commands: { about: "commands on each, one after another", default: "20" },
    },
    async run({ rounds, options, say }) {
        const [nodes, count] = [wholeNumber(options, "nodes"), wholeNumber(options, "commands")];
        await ensurePackages(["openssh-server", "openssh-client"], "bench/ssh", { onProgress: say });
        const venv = await ansible(say);
        const how = [
            `${nodes} nodes × ${count} commands (echo), n = ${rounds}; ${machine()}`,
            "A node is a port of real sshds on 127.0.0.1; all nodes at once, on each node one command after another.",
            "Every side is a process of its own: its start, its connections and all commands count; no connection is open before.",
            `ansible: one play of ${count} raw tasks, forks ${nodes}, strategy free, pipelining, ControlPersist, no facts.`,
            "All sides verify the host keys, and every answer is counted.",
        ];
        const fleet = await startSshds(nodes);
        try {
            const commands = Array.from({ length: count }, (_, i) => ["echo", `command-${i}`]);
            const work = join(fleet.folder, "work.json");
            writeFileSync(work, JSON.stringify({ ...fleet, commands }), { mode: 0o600 });
            writeAnsibleFiles(
                fleet,
                commands.map(argv => argv.join(" ")),
            );
            const ourSide = [process.execPath, ...process.execArgv, join(__dirname, `our-side${extname(__filename)}`)];
            const sides: Record<string, () => Promise<number>> = {
                [names.ours]: async () => Number(await run([...ourSide, work])),
                [names.ansible]: () => runAnsible(venv, fleet),
                [names.multiplexed]: () => runClient(clientScript(fleet, count, true)),
                [names.plain]: () => runClient(clientScript(fleet, count, false)),
            };
            const subjects = Object.entries(sides).map(([name, side]) => ({
                name,
                run: async () => {
                    let answered = 0;
                    const taken = await seconds(async () => {
                        answered = await side();
                    });
                    await endMasters(fleet);
                    if (answered !== nodes * count) {
                        throw new Error(`${name}: ${answered} of ${nodes * count} commands answered`);
                    }
                    return taken;
                },
            }));
            const samples = await interleave(subjects, rounds, say);
            const comparisons = [
                compare(samples, { ours: names.ours, rival: names.ansible, goal: { atMost: 0.1 } }),
                compare(samples, { ours: names.ours, rival: names.multiplexed }),
                compare(samples, { ours: names.ours, rival: names.plain }),
            ];
            return { bench: "ssh", how, comparisons, samples };
        } finally {
            await fleet.stop();
        }
    },
};
