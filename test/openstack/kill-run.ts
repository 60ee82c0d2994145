import { strict as assert } from "node:assert";
import { eventually } from "../e2e/cluster-fixture";
import { killTree } from "../support/kill-tree";
import { type CloudDesk, serverIds } from "./cloud-desk";

/** Kills all of Pulumi while Heat makes the stack, as a lost terminal or a full disk would. */
export function killWhileStackIsMade(desk: CloudDesk): Promise<void> {
    return killOnce(desk, async () => {
        const stacks = await desk.list("stack");
        assert.ok(stacks.some(row => row["Stack Status"] === "CREATE_IN_PROGRESS"));
    });
}

/** The same while Nova makes servers: of one at least no state knows. */
export async function killWhileServersAreMade(desk: CloudDesk): Promise<void> {
    const ours = async () => Object.values(await serverIds(desk));
    await killOnce(desk, async () => assert.ok((await ours()).length > 0));
    const state = await desk.project.exportStack();
    const orphans = (await ours()).filter(id => !state.includes(id));
    assert.ok(orphans.length > 0, "the run was killed too late");
}

async function killOnce(desk: CloudDesk, seen: () => Promise<void>): Promise<void> {
    const { pid, done } = desk.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    const ended = done.then(({ output }) => assert.fail(`the run ended before it could be killed:\n${output}`));
    await Promise.race([ended, eventually(240, seen)]);
    ended.catch(() => {});
    await killTree(pid);
    await desk.project.run(["cancel", "--yes"]);
}
