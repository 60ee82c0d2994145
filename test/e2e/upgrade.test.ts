import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { from, openUpgrade, to, type UpgradeFixture } from "./upgrade-fixture";

/** The small counterpart of upgrade.full.test.ts. */
describe("a small cluster that moves to another Kubernetes version", function () {
    this.timeout("10m");
    asStory(this);
    let fixture: UpgradeFixture;
    before(async () => {
        fixture = await openUpgrade("upgradesmall", ["m1"], ["w1"]);
    });
    after(async () => {
        await fixture?.close();
    });

    it("says in preview that one control-plane node interrupts the API, and what happens to each node", async () => {
        await fixture.give(to);
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        assert.match(output, new RegExp(`change current package: .*Kubernetes ${from} to ${to}`));
        assert.equal(output.match(new RegExp(`upgrade in place: Kubernetes ${from} to ${to}`, "g"))?.length, 2, output);
        assert.match(output, /the API of the cluster is interrupted for some minutes: there is one control-plane node/);
    });

    it("has the version on both nodes, in service, after one up; nothing is left to do", async () => {
        await fixture.project.up();
        assert.deepEqual(await fixture.versions(), { m1: `v${to}`, w1: `v${to}` });
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("refuses at preview to go back once it has moved, and changes nothing", async () => {
        await fixture.give(from);
        const { output, code } = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0);
        assert.match(output, new RegExp(`UPGRADE_REFUSED.*${from} is earlier`));
        assert.deepEqual(await fixture.versions(), { m1: `v${to}`, w1: `v${to}` });
    });
});
