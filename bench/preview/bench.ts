import { compare, interleave, machine, type Report, type Samples, seconds } from "../harness";
import { BenchProject } from "../project";
import { simulatedCluster } from "../simulation/simulated-cluster";
import type { Bench } from "../types";
import { bytesOf, ownResources, type StoredResource, sizesFrom } from "./state";

const masters = 3;

export const previewBench: Bench = {
    about: "no-op preview of a cluster: against as many empty dynamic resources, and an empty program",
    rounds: 3,
    options: { nodes: { about: "numbers of nodes, by commas", default: "5,50,200" } },
    async run({ rounds, options, say }) {
        const report: Report = {
            bench: "preview",
            how: [
                `pulumi preview --expect-no-changes, n = ${rounds}; ${machine()}`,
                `Clusters of ${masters} masters, the other nodes are workers, made before by the real engine on simulated machines.`,
                "Empty dynamic resources: as many as the cluster has resources of ours, each without properties.",
                "Size of state: what is stored of one Host and one Node, in bytes of compact JSON, secrets encrypted.",
            ],
            comparisons: [],
            facts: {},
            samples: {},
        };
        const empty = await BenchProject.make({ program: "empty", say });
        try {
            await empty.up();
            for (const nodes of sizesFrom(options["nodes"], masters)) {
                await measure(nodes, rounds, empty, report, say);
            }
        } finally {
            empty.remove();
        }
        return report;
    },
};

async function measure(
    nodes: number,
    rounds: number,
    empty: BenchProject,
    report: Report,
    say: (text: string) => void,
): Promise<void> {
    const cluster = await BenchProject.make({ program: "cluster", say });
    const dynamic = await BenchProject.make({ program: "dynamic", say });
    const simulated = await simulatedCluster(masters, nodes - masters);
    try {
        say(`making a cluster of ${nodes} nodes`);
        cluster.give(simulated.args);
        const made = await seconds(() => cluster.up());
        const resources = JSON.parse(await cluster.run("stack", "export")).deployment.resources as StoredResource[];
        const count = ownResources(resources).length;
        say(`${count} resources in ${made.toFixed(0)} s; making as many empty ones`);
        dynamic.give({ count });
        await dynamic.up();
        const names = {
            ours: `cluster of ${nodes} nodes`,
            dynamic: `${count} empty dynamic resources`,
            empty: "empty program",
        };
        const subject = (name: string, project: BenchProject) => ({
            name,
            run: () => seconds(() => project.run("preview", "--expect-no-changes", "--non-interactive")),
        });
        const samples: Samples = await interleave(
            [subject(names.ours, cluster), subject(names.dynamic, dynamic), subject(names.empty, empty)],
            rounds,
            say,
        );
        report.comparisons.push(
            compare(samples, { ours: names.ours, rival: names.dynamic, goal: { atMost: 1.2 } }),
            compare(samples, { ours: names.ours, rival: names.empty }),
        );
        for (const [name, values] of Object.entries(samples)) {
            report.samples[`${nodes} nodes: ${name}`] = values;
        }
        report.facts![`${nodes} nodes: bytes of state per master`] = bytesOf(resources, "m1");
        report.facts![`${nodes} nodes: bytes of state per worker`] = bytesOf(resources, "w1");
    } finally {
        await simulated.stop();
        cluster.remove();
        dynamic.remove();
    }
}
