import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { killTree } from "../support/kill-tree";
import { type CloudFixture, serverIds } from "./cloud-fixture";
import { lists } from "./cloud-rest";
import { allKinds, type Kind, knownIds, openCloudView, type Thing } from "./cloud-view";

/** Kills all of Pulumi's processes while Heat makes the stack, like a lost terminal or a full disk. */
export function killWhileStackIsMade(fixture: CloudFixture): Promise<void> {
    return killOnce(fixture, async () => {
        const [answer] = await fixture.rest.get<{ stacks: { stack_status: string }[] }>([lists.stacks[0]]);
        return answer!.stacks.some(({ stack_status }) => stack_status === "CREATE_IN_PROGRESS");
    });
}

/** In the order in which a run makes them: each killed run gets past the resources that the one before left. */
const moments: Kind[] = ["subnet", "router interface", "floating IP", "server"];

/** The same with Nova, several times: as soon as the cloud has a resource of a kind that is in no state yet. */
export async function killWhilePartsAreMade(fixture: CloudFixture): Promise<void> {
    const look = openCloudView(fixture);
    const others = idsOf(await look(allKinds));
    const left: Thing[] = [];
    for (const moment of moments) {
        const earlier = idsOf(await look([moment]));
        await killOnce(fixture, async () => {
            const there = await look([moment]);
            const known = await knownIds(fixture);
            return there.some(({ id }) => !earlier.has(id) && !known.has(id));
        });
        const there = await look(allKinds);
        const known = await knownIds(fixture);
        const orphans = there.filter(({ id }) => !others.has(id) && !known.has(id));
        console.log(`      killed as the first ${moment} appeared; left: ${summary(orphans)}`);
        left.push(...orphans);
    }
    const kinds = new Set(left.map(({ kind }) => kind));
    assert.ok(kinds.has("server"), "no run left a server: all were killed too late");
    assert.ok(kinds.has("floating IP") || kinds.has("port"), "no run left a floating IP or a port");
}

function idsOf(things: readonly Thing[]): Set<string> {
    return new Set(things.map(({ id }) => id));
}

/** "2 × rule, subnet" */
function summary(things: readonly Thing[]): string {
    const counts = new Map<Kind, number>();
    for (const { kind } of things) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const words = [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`));
    return words.length === 0 ? "nothing" : words.join(", ");
}

/** Starts `pulumi up` and kills it when `seen` is true. A failed look is repeated: as long as the run goes on, it may still come. */
async function killOnce(fixture: CloudFixture, seen: () => Promise<boolean>): Promise<void> {
    const { pid, done } = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    let ended = "";
    const end = done.then(({ output }) => {
        ended = output || "no output";
    });
    let fault = "";
    const look = () =>
        seen().catch(error => {
            fault = String(error);
            return false;
        });
    try {
        // Some resources are missing in the state for a few seconds only.
        while (ended === "" && !(await look())) await sleep(100);
    } finally {
        killTree(pid);
    }
    assert.equal(ended, "", `the run ended before it could be killed ${fault}`);
    await end;
    await fixture.project.stack.cancel();
}

/** Kills an `up` 20 s after it has given the node another server, while that joins. `before`: the servers. */
export async function killAfterReplacement(fixture: CloudFixture, node: string, before: Record<string, string>) {
    const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    let ended = false;
    void run.done.then(() => {
        ended = true;
    });
    for (let id = before[node]; id === undefined || id === before[node]; { [node]: id } = await serverIds(fixture)) {
        assert.ok(!ended, "the run ended before it could be killed");
        await sleep(500);
    }
    await sleep(20_000);
    assert.ok(!ended, "the run ended before it could be killed");
    killTree(run.pid);
    await run.done;
    await fixture.project.stack.cancel();
}
