import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { UserProject } from "../../support/user-project";

const program = "test/integration/components/cluster-program.js";
type Args = any;

export interface Fixture {
    cluster: SimulatedCluster;
    project: UserProject;
    /** Arguments of KubernetesCluster; call `give` after a change, so that the program reads them. */
    args: Args;
    give(): void;
    close(): Promise<void>;
}

/** Simulated machines, and a project with a cluster on them. */
export async function openFixture(
    masters: number,
    workers: number,
    seconds: (node: string, step: string) => number,
): Promise<Fixture> {
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
