import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { openSite, type Site } from "../../../pipeline";
import type { FakeBehaviour } from "../../../testing";
import { UserProject } from "../../support/user-project";

export interface SiteFixture {
    cluster: SimulatedCluster;
    project: UserProject;
    site: Site;
    /** Seconds that steps take: "w1 cluster.join", or the step alone. */
    seconds: Record<string, number>;
    /** Seconds that a step takes that is not among these. @default 0.01 */
    secondsOfOthers: number;
    /** Arguments of KubernetesCluster; `give` after a change. */
    args: any;
    give(): void;
    /** What began on the machines since the last call, as "w1 cluster.join". */
    begun(): string[];
    close(): Promise<void>;
}

/** A stack of a program in files, on simulated machines of which the cluster uses `count`; records of its runs lie in a folder of its own. */
export async function siteFixture(
    masters: number,
    workers: number,
    count: { masters: number; workers: number },
    steps?: FakeBehaviour["steps"],
): Promise<SiteFixture> {
    const seconds: Record<string, number> = {};
    const cluster = await simulatedCluster(
        masters,
        workers,
        (node, step) => seconds[`${node} ${step}`] ?? seconds[step] ?? fixture.secondsOfOthers,
        steps && { steps },
    );
    const project = await UserProject.make("pipeline", "test/integration/pipeline/site-program.js");
    const args: any = structuredClone(cluster.args);
    args.controlPlane.count = count.masters;
    args.pools.workers.count = count.workers;
    const give = () => project.give(args);
    give();
    const site = await openSite({ stack: "dev", folder: project.folder, env: project.pulumi.env });
    let seen = 0;
    const fixture: SiteFixture = {
        ...{ cluster, project, site, seconds, secondsOfOthers: 0.01, args, give },
        begun: () => {
            const all = cluster.fleet.begun();
            const since = all.slice(seen);
            seen = all.length;
            return since;
        },
        close: async () => {
            await cluster.stop();
            project.remove();
            for (const file of Object.values(site.files)) rmSync(file, { force: true });
        },
    };
    return fixture;
}

/** A script that runs in a process of its own, beside the project. */
export function scratchFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "nfv-pipeline-"));
    writeFileSync(join(folder, "package.json"), "{}");
    return folder;
}
