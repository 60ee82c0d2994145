import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { killTree } from "../../support/kill-tree";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

const slow = "node.control-plane-settings";

/** Real engine, dynamic resources and SSH; only the steps' effects are simulated. */
describe("a change whose run is killed, and that the program takes back", function () {
    asStory(this);
    let fixture: Fixture;
    let made: Record<string, string>;

    before(async function () {
        skipIf(this, notBuilt());
        let isMade = false;
        fixture = await openFixture(1, 1, (_node, step) => (isMade && step === slow ? 2 : 0.05));
        await pulumi("up", "--yes", "--skip-preview");
        isMade = true;
        made = { ...journal() };
    });
    after(() => fixture?.close());

    const pulumi = (...args: string[]) => fixture.project.pulumi.run([...args, "--non-interactive"]);
    const fleet = () => fixture.cluster.fleet;
    const journal = () => fleet().node("m1").agent.journal;
    const give = (scheduler: Record<string, string>) => {
        fixture.args.controlPlane = { ...fixture.args.controlPlane, extraArgs: { scheduler } };
        fixture.give();
    };

    it("is found by a plain up, which does again what differs on the machine, and nothing else", async () => {
        give({ v: "4" });
        const run = fixture.project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        const begun = () => fleet().events.some(({ event, step }) => event === "begin" && step === slow);
        fleet().events.length = 0;
        while (!begun()) await sleep(50);
        killTree(run.pid);
        await run.done;
        // It goes on to its end.
        while (journal()[slow] === made[slow] || journal()[slow] === "unfinished") await sleep(50);
        assert.notDeepEqual(journal(), made);
        await pulumi("cancel", "--yes");

        give({});
        const preview = await pulumi("preview");
        assert.match(preview, /looks at the machine again/);
        const before = fleet().begun().length;
        await pulumi("up", "--yes", "--skip-preview");
        const ran = fleet().begun().slice(before);
        assert.deepEqual(
            ran.filter(step => !/ cluster\./.test(step)),
            ["m1 node.kubeadm-files", `m1 ${slow}`],
        );
        assert.deepEqual(journal(), made);
        await pulumi("preview", "--expect-no-changes");
    });
});
