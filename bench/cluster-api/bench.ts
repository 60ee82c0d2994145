import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveTool } from "../../tools/resolver";
import { run } from "../../tools/run";
import { packageRoot } from "../../tools/settings";
import { versions } from "../../tools/versions";
import { compare, interleave, machine, type Samples, seconds } from "../harness";
import { type Bench, wholeNumber } from "../types";
import { type Management, withManagement } from "./management";
import { comparePreviews } from "./previews";
import { fileOf, vimOf, webFunction, withFunction } from "./workloads";

const sides = { ours: "pulumi up", byHand: "kubectl and clusterctl by hand" };

export const clusterApiBench: Bench = {
    about: "a workload cluster with a network function: against kubectl and clusterctl by hand; preview of many",
    rounds: 2,
    options: {
        workers: { about: "workers of the workload cluster", default: "1" },
        clusters: { about: "workload clusters of the preview", default: "20" },
    },
    async run({ rounds, options, say }) {
        const workers = wholeNumber(options, "workers");
        const clusters = wholeNumber(options, "clusters");
        const { programs } = await resolveTool("cluster-api", { onProgress: say });
        const load = machine();
        return withManagement(say, async management => {
            const samples = await makeClusters(management, workers, rounds, programs["clusterctl"]!);
            const previews = await comparePreviews(management, clusters, rounds);
            return {
                bench: "cluster-api",
                how: [
                    `Workload clusters of 1 + ${workers} machines, which are lab nodes, Kubernetes ${versions.kubernetes}, n = ${rounds}; ${load}`,
                    "Both sides on one management cluster, which was made before, with the same objects, until the network function on the workload cluster is available. Removing is not timed, and neither is a first cluster by hand.",
                    "Ours also makes a service account on the workload cluster (Vim), and waits until all machines are ready.",
                    previews.how,
                ],
                comparisons: [
                    compare(samples, { ours: sides.ours, rival: sides.byHand, goal: { atMost: 1.1 } }),
                    ...previews.comparisons,
                ],
                samples: { ...samples, ...previews.samples },
            };
        });
    },
};

async function makeClusters(
    management: Management,
    workers: number,
    rounds: number,
    clusterctl: string,
): Promise<Samples> {
    const project = await management.project("workload-clusters");
    const give = (workloads: object) => project.give({ management: vimOf(management.access), workloads });
    const ours = async () => {
        give({ ours: withFunction("ours", workers) });
        const taken = await seconds(() => project.up());
        give({});
        await project.up();
        return taken;
    };
    const byHand = handOf(management, workers, clusterctl);
    try {
        // The access to the management cluster: the rival has its file before, too.
        give({});
        await project.up();
        // The first cluster reads images and programs that the later ones find in memory.
        await byHand();
        const subjects = [
            { name: sides.ours, run: ours },
            { name: sides.byHand, run: byHand },
        ];
        return await interleave(subjects, rounds, management.say);
    } finally {
        project.remove();
    }
}

function handOf(management: Management, workers: number, clusterctl: string): () => Promise<number> {
    const { lab, folder, kubeconfig, kubectlFile, say } = management;
    const name = "byhand";
    const [objects, webFile] = [join(folder, "objects.yaml"), join(folder, "function.json")];
    writeFileSync(objects, fileOf(name, workers));
    writeFileSync(webFile, JSON.stringify(webFunction));
    const env = {
        ...{ NAME: name, OBJECTS: objects, FUNCTION: webFile, WORK: folder, MANAGEMENT: kubeconfig },
        ...{ KUBECTL: kubectlFile, CLUSTERCTL: clusterctl },
    };
    const script = join(packageRoot(), "bench/rivals/cluster-api-by-hand.sh");
    const hand = (...words: string[]) => run(lab.enter(["bash", script, ...words]), { env });
    return async () => {
        let said = "";
        const taken = await seconds(async () => {
            said = await hand();
        });
        say(said.trimEnd());
        await hand("remove");
        return taken;
    };
}
