import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare, interleave, type Report, seconds } from "../harness";
import type { StoredResource } from "../preview/state";
import { BenchProject } from "../project";
import { names } from "../simulation/simulated-cluster";
import type { Management } from "./management";
import { accessSecret, countsOf, pausedWorkload, vimOf } from "./workloads";

/** No-op preview of many workload clusters. They are paused and have no machines; the kubeconfig of each leads to the management cluster. */
export async function comparePreviews(
    management: Management,
    clusters: number,
    rounds: number,
): Promise<Pick<Report, "comparisons" | "samples"> & { how: string }> {
    const { say } = management;
    const ours = await management.project("workload-clusters");
    const dynamic = await BenchProject.make({ program: "dynamic", say });
    const empty = await BenchProject.make({ program: "empty", say });
    try {
        const all = names("p", clusters);
        await giveAccess(management, all);
        say(`making ${clusters} paused workload clusters`);
        ours.give({
            management: vimOf(management.access),
            workloads: Object.fromEntries(all.map(name => [name, pausedWorkload(name)])),
        });
        const made = await seconds(() => ours.up());
        const resources = JSON.parse(await ours.run("stack", "export")).deployment.resources as StoredResource[];
        const counts = countsOf(resources);
        const count = counts.ours + counts.kubernetes;
        say(`${count} resources in ${made.toFixed(0)} s; making as many empty ones`);
        dynamic.give({ count });
        await dynamic.up();
        await empty.up();
        const subjects = {
            [`preview of ${clusters} workload clusters`]: ours,
            [`preview of ${count} empty dynamic resources`]: dynamic,
            "preview of an empty program": empty,
        };
        const samples = await interleave(
            Object.entries(subjects).map(([name, project]) => ({
                name,
                run: () => seconds(() => project.run("preview", "--expect-no-changes", "--non-interactive")),
            })),
            rounds,
            say,
        );
        const [name, ...rivals] = Object.keys(subjects);
        return {
            how: `Preview: the ${clusters} clusters are paused and without machines; the kubeconfig of each leads to the management cluster. ${counts.ours} resources are ours, ${counts.kubernetes} Kubernetes objects, which Pulumi's plugin compares with the server.`,
            comparisons: rivals.map(rival => compare(samples, { ours: name!, rival })),
            samples,
        };
    } finally {
        for (const project of [ours, dynamic, empty]) project.remove();
    }
}

async function giveAccess({ kubeconfig, folder, kubectl }: Management, clusters: string[]): Promise<void> {
    const text = readFileSync(kubeconfig, "utf8");
    const file = join(folder, "access.json");
    const items = clusters.map(name => accessSecret(name, text));
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }), { mode: 0o600 });
    await kubectl("apply", "-f", file);
}
