// The incumbent's method as a separate process: the same steps, one machine after another, control-plane nodes first.
// node-after-node FILE: { cluster: PlannedCluster, targets: { machine: SshTarget } }
import { readFileSync } from "node:fs";
import { Connections, type SshTarget } from "../../provider/ssh";
import { runSteps, type Step } from "../../provider/steps";
import type { PlannedCluster } from "../stored-cluster";

const connections = new Connections();

async function main(file: string): Promise<void> {
    const { cluster, targets } = JSON.parse(readFileSync(file, "utf8")) as {
        cluster: PlannedCluster;
        targets: Record<string, SshTarget>;
    };
    const { clusterId, machines, network, end } = cluster;
    const first = machines[0].name;
    const run = (node: string, steps: Step[]) =>
        runSteps(steps, {
            node,
            clusterId,
            connection: connections.to(targets[node]),
            controlPlane: async () => ({ name: first, connection: connections.to(targets[first]) }),
            done: {},
            report: () => {},
        });
    for (const { name, host, node } of machines) {
        await run(name, [...host, ...node]);
        if (name === first) {
            await run(first, network);
        }
    }
    await run(first, end);
    await connections.close();
}

main(process.argv[2]).then(
    () => process.exit(0),
    error => {
        console.error(error instanceof Error ? error.stack : error);
        process.exit(1);
    },
);
