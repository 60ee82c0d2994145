import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type SimulatedCluster, simulatedCluster } from "../../../../bench/simulation/simulated-cluster";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot, UserProject } from "../../../support/user-project";

const programs = "test/integration/provider/dynamic";

/** What a run of a stack returned. */
interface Ran {
    result: string;
    changes: Record<string, number>;
    clusterId?: string;
}

/** Real engine, real SDK, simulated machines: both programs run in one process of the Automation API. */
describe("inline programs of two stacks in one process", () => {
    let project: UserProject;
    const clusters: SimulatedCluster[] = [];

    before(async function () {
        skipIf(this, notBuilt());
        clusters.push(await simulatedCluster(1, 0), await simulatedCluster(1, 0));
        project = await UserProject.make("two-stacks", `${programs}/event-program.js`);
        copyFileSync(join(projectRoot, `${programs}/two-stacks-program.js`), join(project.folder, "inline.js"));
        const [site1, site2] = clusters.map(({ args }) => args);
        project.give({ "site-1": site1, "site-2": site2 });
    });

    after(async () => {
        for (const cluster of clusters) await cluster.stop();
        project?.remove();
    });

    const run = async (operation: "up" | "destroy"): Promise<Ran[]> => {
        const options = { env: project.pulumi.env, maxBuffer: 1 << 28 };
        const inline = promisify(execFile)(process.execPath, [join(project.folder, "inline.js"), operation], options);
        const { stdout } = await inline.catch(error =>
            assert.fail(`${error.message}\n${error.stdout}\n${error.stderr}`),
        );
        return JSON.parse(stdout.trim().split("\n").at(-1)!) as Ran[];
    };
    /** Ids of the processes that have acted on a cluster's machine. A holder is HOST.MACHINE.PID.START.RANDOM. */
    const processes = ({ fleet }: SimulatedCluster) =>
        new Set([...fleet.node("m1").agent.holders].map(holder => holder.split(".")[2]));

    it("make their clusters side by side, each by a process of its own for the resources", async () => {
        const made = await run("up");
        assert.deepEqual(
            made.map(({ result }) => result),
            ["succeeded", "succeeded"],
        );
        assert.equal(new Set(made.map(({ clusterId }) => clusterId)).size, 2);
        const [one, other] = clusters.map(processes);
        assert.deepEqual([one!.size, other!.size], [1, 1]);
        assert.notDeepEqual(one, other);
    });

    it("change nothing in the next run, and remove both", async () => {
        for (const { changes } of await run("up")) assert.deepEqual(Object.keys(changes), ["same"]);
        for (const { result } of await run("destroy")) assert.equal(result, "succeeded");
    });
});
