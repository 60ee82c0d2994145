import { strict as assert } from "node:assert";
import { eventually } from "../e2e/cluster-fixture";
import { killTree } from "../support/kill-tree";
import type { CloudDesk } from "./cloud-desk";

/** Kills all of Pulumi while Heat makes the stack, as a lost terminal or a full disk would. */
export async function killWhileStackIsMade(desk: CloudDesk): Promise<void> {
    const { pid, done } = desk.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    const ended = done.then(({ output }) => assert.fail(`the run ended before the stack was under way:\n${output}`));
    await Promise.race([
        ended,
        eventually(240, async () => {
            const stacks = await desk.list("stack");
            assert.ok(stacks.some(row => row["Stack Status"] === "CREATE_IN_PROGRESS"));
        }),
    ]);
    ended.catch(() => {});
    await killTree(pid);
    await desk.project.run(["cancel", "--yes"]);
}
