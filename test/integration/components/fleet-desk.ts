import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { UserProject } from "../../support/user-project";

const program = "test/integration/components/cluster-program.js";
type Args = any;

export interface Desk {
    cluster: SimulatedCluster;
    project: UserProject;
    /** Arguments of KubernetesCluster; `give` makes the program see what was changed in them. */
    args: Args;
    give(): void;
    close(): Promise<void>;
}

/** Machines that only pretend, and a project of a cluster on them. */
export async function openDesk(
    masters: number,
    workers: number,
    seconds: (node: string, step: string) => number,
): Promise<Desk> {
    const cluster = await simulatedCluster(masters, workers, seconds);
    const project = await UserProject.make("fleet", program);
    const args: Args = cluster.args;
    const give = () => project.give(args);
    give();
    return {
        cluster,
        project,
        args,
        give,
        close: async () => {
            await cluster.stop();
            project.remove();
        },
    };
}
