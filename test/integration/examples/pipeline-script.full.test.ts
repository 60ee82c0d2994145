import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type ScriptFixture, scriptFixture, until } from "./script-fixture";

/** The smaller counterpart is pipeline-script.test.ts. */
describe("the script of the pipelines in the life of a stack", function () {
    this.timeout("6m");
    asStory(this);
    let fixture: ScriptFixture;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await scriptFixture(1, 5, { masters: 1, workers: 2 });
    });
    after(() => fixture?.close());

    const succeeds = async (words: string[], env?: Record<string, string>) => {
        const { code, output } = await fixture.script(words, env);
        assert.equal(code, 0, output);
        return output;
    };
    const planned = async (env: Record<string, string>) => {
        await succeeds(["plan"], env);
        return /^NFV_PLAN=(.*)$/m.exec(fixture.report("plan.env"))![1]!;
    };
    const joined = () => fixture.begun().filter(each => each.endsWith(" cluster.join"));
    const pushed = () => fixture.git("--git-dir", "origin.git", "show", "main:Pulumi.dev.yaml");

    it("scales, and pushes what it has set, also when another has pushed meanwhile", async () => {
        await succeeds(["run", await planned({ NFV_OPERATION: "instantiate" }), "instantiate"]);
        fixture.begun();
        const scale = { NFV_OPERATION: "scale workers=3" };
        const hash = await planned(scale);
        const elsewhere = ["-C", "other", "-c", "user.name=other", "-c", "user.email=other@localhost"];
        fixture.git("clone", "--quiet", "origin.git", "other");
        fixture.git(...elsewhere, "commit", "--quiet", "--allow-empty", "-m", "Other");
        fixture.git("-C", "other", "push", "--quiet", "origin", "HEAD:main");
        await succeeds(["run", hash], { ...scale, NFV_BRANCH: "main", NFV_PUSH_TOKEN: "canary-4711" });
        assert.deepEqual(joined(), ["w3 cluster.join"]);
        assert.match(pushed(), /count: 3/);
        assert.match(
            fixture.git("--git-dir", "origin.git", "log", "--format=%s", "main"),
            /what the[^\n]*\nOther\nSite/,
        );
        assert.equal(fixture.git("status", "--porcelain", "--", "Pulumi.dev.yaml"), "");
    });

    it("runs no plan but the approved one", async () => {
        const hash = await planned({ NFV_OPERATION: "scale workers=4" });
        const { code, output } = await fixture.script(["run", hash, "scale", "workers=5"]);
        assert.deepEqual([code, /PLAN_CHANGED/.test(output)], [4, true], output);
        assert.deepEqual(joined(), []);
    });

    it("says when nothing would change", async () => {
        await planned({ NFV_OPERATION: "scale workers=3" });
        assert.match(fixture.report("plan.env"), /NFV_CHANGES=false/);
    });

    it("is stopped by guards", async () => {
        const env = { NFV_OPERATION: "scale workers=1" };
        const guards: Record<string, string>[] = [
            { NFV_FORBID_REPLACE: "w3" },
            { NFV_MAX_DISRUPTION: "controlPlaneNodes=1 workers=20%" },
        ];
        for (const guard of guards) {
            const { code, output } = await fixture.script(["plan"], { ...env, ...guard });
            assert.deepEqual([code, /GUARD_REFUSED/.test(output)], [4, true], output);
            assert.match(fixture.report("plan.md"), /GUARD\\_REFUSED/);
            assert.equal(fixture.report("plan.env"), "");
        }
        assert.deepEqual(fixture.begun(), []);
    });

    const stopped: [string, string, (pid: number) => void][] = [
        [
            "a signal to its process group, twice",
            "4",
            pid => process.kill(-pid, "SIGTERM") && process.kill(-pid, "SIGTERM"),
        ],
        ["SIGINT to it alone", "5", pid => process.kill(pid, "SIGINT")],
    ];
    for (const [what, count, act] of stopped) {
        it(`ends with 130 after ${what}, when the step under way has ended; the next run goes on`, async () => {
            const scale = { NFV_OPERATION: `scale workers=${count}` };
            const hash = await planned(scale);
            fixture.seconds[`w${count} cluster.join`] = 5;
            const { child, done } = fixture.start(["run", hash], { ...scale, NFV_BRANCH: "main" });
            await until(() => fixture.begun().includes(`w${count} cluster.join`));
            act(child.pid!);
            const { code, output } = await done;
            assert.equal(code, 130, output);
            assert.match(output, /CANCELLED/);
            assert.equal(existsSync(fixture.site.files.record), false);
            assert.match(pushed(), new RegExp(`count: ${count}`), "the run had begun");
            fixture.seconds[`w${count} cluster.join`] = 0.01;
            await succeeds(["run", await planned(scale)], scale);
        });
    }

    it("asks nfv to stop when the time is over", async () => {
        fixture.args.pools.workers.labels = { site: "north" };
        fixture.give();
        const hash = await planned({});
        fixture.seconds["node.labels"] = 6;
        const { code, output } = await fixture.script(["run", hash], { NFV_TIMEOUT: "6s" });
        assert.equal(code, 130, output);
        fixture.seconds["node.labels"] = 0.01;
        await succeeds(["run", await planned({})]);
    });
});
