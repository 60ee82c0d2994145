import assert from "node:assert/strict";
import { healthArgv } from "../../../provider/health/look";
import { kubeletStep } from "../../../provider/machine/health";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type ScriptFixture, scriptFixture } from "./script-fixture";

/** The smaller counterpart is pipeline-script.test.ts. */
describe("the timer's part of the script of the pipelines", function () {
    this.timeout("6m");
    asStory(this);
    let fixture: ScriptFixture;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await scriptFixture(1, 3, { masters: 1, workers: 3 });
        await fixture.site.instantiate();
    });
    after(() => fixture?.close());

    const is = (name: string, facts: Record<string, string>) => {
        const well = { uptime: "86400", joined: "yes", kubelet: "active", runtime: "active", runtimeAnswers: "yes" };
        const lines = Object.entries({ ...well, ...facts }).map(([key, value]) => `${key}=${value}\n`);
        fixture.cluster.fleet.node(name).on({ startsWith: [...healthArgv] }, { stdout: lines.join("") });
    };
    const names = ["m1", "w1", "w2", "w3"];

    it("heals by the clock what a pipeline may heal, and nothing else", async () => {
        for (const name of names) is(name, {});
        const well = await fixture.script(["heal"]);
        assert.deepEqual([well.code, /healthy: nothing was found/.test(well.output)], [0, true], well.output);
        fixture.begun();
        is("w1", { kubelet: "inactive" });
        const { code, output } = await fixture.script(["heal"]);
        assert.equal(code, 0, output);
        assert.match(output, /w1: the kubelet is not running/);
        assert.ok(fixture.begun().includes(`w1 ${kubeletStep}`));
    });

    it("heals not when too many are ill, and says so by its exit code", async () => {
        // The simulated machine does not know that w1 was healed.
        for (const name of ["w1", "w2"]) is(name, { kubelet: "inactive" });
        fixture.begun();
        const { code, output } = await fixture.script(["heal"]);
        assert.equal(code, 21, output);
        assert.deepEqual(fixture.begun(), []);
    });

    it("heals what is certain beside a machine that cannot be asked, and still calls a person", async () => {
        is("w1", { kubelet: "inactive" });
        fixture.cluster.fleet.node("w2").on({ startsWith: [...healthArgv] }, { code: 1, stderr: "no shell" });
        fixture.begun();
        const { code, output } = await fixture.script(["heal"]);
        assert.equal(code, 22, output);
        assert.match(output, /unknown: not everything could be asked of .*w2/);
        const begun = fixture.begun();
        assert.ok(begun.includes(`w1 ${kubeletStep}`), begun.join());
        assert.ok(!begun.some(each => each.startsWith("w2 ")), begun.join());
    });

    it("does not let the timer do what the program changed", async () => {
        is("w2", {});
        fixture.args.pools.workers.count = 2;
        fixture.give();
        const { code, output } = await fixture.script(["heal"]);
        assert.equal(code, 4, output);
        assert.match(output, /GUARD_REFUSED/);
    });
});
