import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { killTree } from "../../support/kill-tree";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

const joined = "cluster.join";

/** Real engine, dynamic resources and SSH; only the steps' effects are simulated. */
describe("a heal that a program asks for", function () {
    asStory(this);
    let fixture: Fixture;
    let slow = "";

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture(3, 2, (_node, step) => (step === slow ? 2 : 0.01));
    });
    after(() => fixture?.close());

    const pulumi = (...args: string[]) => fixture.project.pulumi.run([...args, "--non-interactive"]);
    const up = (...args: string[]) => pulumi("up", "--yes", "--skip-preview", ...args);
    const events = () => fixture.cluster.fleet.events;
    const give = (masters: number, heal?: object) => {
        fixture.args.controlPlane.count = masters;
        fixture.args.heal = heal;
        fixture.give();
        events().length = 0;
    };
    /** What began on the machines, in order: "w1 node.reset". */
    const begun = () => events().flatMap(({ event, node, step }) => (event === "begin" ? [`${node} ${step}`] : []));
    const joinsAndLeaves = () => begun().filter(each => / (cluster\.join|node\.leave|node\.leave-etcd)$/.test(each));

    it("does nothing in the run that makes the cluster, and is refused for the only control-plane node", async () => {
        give(1, { run: "first", all: true });
        await up();
        assert.deepEqual(
            joinsAndLeaves().filter(each => !each.endsWith(joined)),
            [],
        );
        give(1, { run: "second", all: true });
        const { code, output } = await fixture.project.pulumi.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        assert.match(output.replace(/\s+/g, " "), /INVALID_INPUT: heal: m1 is the only control-plane node/);
        assert.deepEqual(events(), []);
    });

    it("is shown before, takes workers one after another as maxUnavailable says, and touches no other node", async () => {
        give(3, { run: "2026-11-26", nodes: ["w2", "w1"] });
        const preview = await pulumi("preview");
        assert.match(
            preview,
            /operation: heal w1, w2 \(asked for: 2026-11-26\); scale out control plane \+2 \(m2, m3\)/,
        );
        assert.match(preview, /Node core-w1 replace/);
        assert.doesNotMatch(preview, /(Node|Host) core-m1 replace|Host core-w\d replace/);
        await up();
        assert.deepEqual(joinsAndLeaves(), [
            ...[`m2 ${joined}`, `m3 ${joined}`],
            ...["w1 node.leave", `w1 ${joined}`, "w2 node.leave", `w2 ${joined}`],
        ]);
    });

    it("does nothing for the same word, and says so of a node that was not asked for", async () => {
        give(3, { run: "2026-11-26", nodes: ["w2", "m1"] });
        const preview = await pulumi("preview", "--expect-no-changes");
        assert.match(preview, /heal: m1 was not asked for under the word "2026-11-26"/);
    });

    it("that is killed while a control-plane node joins again is finished by the next up, and heals no node twice", async () => {
        slow = joined;
        give(3, { run: "killed", nodes: ["m2", "w1"] });
        const run = fixture.project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        while (!begun().includes(`m2 ${joined}`)) await sleep(50);
        killTree(run.pid);
        await run.done;
        slow = "";
        await pulumi("cancel", "--yes");
        await up();
        const [, etcd, ...others] = joinsAndLeaves();
        assert.match(etcd!, /^m[13] node\.leave-etcd$/);
        assert.deepEqual(
            [joinsAndLeaves()[0], ...others],
            ["m2 node.leave", `m2 ${joined}`, "w1 node.leave", `w1 ${joined}`],
        );
        give(3);
        await up("--expect-no-changes");
    });
});
