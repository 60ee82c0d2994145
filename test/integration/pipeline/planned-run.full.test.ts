import assert from "node:assert/strict";
import type { Run, RunResult } from "../../../pipeline";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type SiteFixture, siteFixture } from "./site-fixture";

const runtime = "host.container-runtime-config";
const sysctls = "host.sysctls";

/** Real engine, Automation API, dynamic resources and SSH; only the steps' effects are simulated. */
describe("a run does only what its plan names", function () {
    this.timeout("10m");
    asStory(this);
    let fixture: SiteFixture;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await siteFixture(1, 2, { masters: 1, workers: 1 });
    });
    after(() => fixture?.close());

    const drift = (node: string, step: string) => {
        fixture.cluster.fleet.node(node).agent.differs[step] = ["somebody has changed it"];
    };
    const refused = async (run: Run<RunResult>, code: string, words: RegExp) =>
        assert.rejects(Promise.resolve(run), (error: any) => {
            assert.equal(error.code, code, error.stack);
            assert.match(error.message, words);
            return true;
        });

    it("says which secrets its hash does not cover while the cluster has no key, and covers them afterwards", async () => {
        const { plan: first } = await fixture.site.preview();
        assert.notEqual(first.uncovered, undefined);
        await fixture.site.instantiate();
        const scaled = fixture.site.scale({ workers: 2 }, { previewOnly: true });
        const { plan } = await scaled;
        assert.equal(plan.uncovered, undefined);
        await fixture.site.scale({ workers: 2 }, { plan: plan.hash });
        fixture.begun();
    });

    it("is refused by a limit where it would put drift back that interrupts", async () => {
        drift("w1", runtime);
        const guards = { maxDisruption: { workers: 0 } };
        await refused(
            fixture.site.up({ refresh: true, guards }),
            "GUARD_REFUSED",
            /1 of 2 nodes would be disrupted \(w1\)/,
        );
        assert.deepEqual(fixture.begun(), []);
    });

    it("has another hash when more has drifted since", async () => {
        const { plan } = await fixture.site.preview({ refresh: true });
        drift("w1", sysctls);
        await refused(fixture.site.up({ refresh: true, plan: plan.hash }), "PLAN_CHANGED", new RegExp(plan.hash));
        assert.deepEqual(fixture.begun(), []);
    });

    it("does not touch a node that has drifted behind the plan", async () => {
        const approve = () => {
            drift("w2", runtime);
            return true;
        };
        await refused(fixture.site.up({ refresh: true, approve }), "PLAN_CHANGED", /w2[\s\S]*does not name this: Host/);
        assert.ok(!fixture.begun().some(each => each.startsWith("w2")));
        await fixture.site.up({ refresh: true });
        assert.ok(fixture.begun().includes(`w2 ${runtime}`));
        assert.deepEqual((await fixture.site.preview({ refresh: true })).plan.nodes, []);
    });
});
