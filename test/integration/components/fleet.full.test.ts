import { strict as assert } from "node:assert";
import { killTree } from "../../support/kill-tree";
import { skipIf } from "../../support/skip";
import { notBuilt } from "../../support/user-project";
import { isOfWholeCluster } from "../../support/whole-cluster";
import { mostAtOnce, stepIntervals } from "./fleet-events";
import { openFixture } from "./fleet-fixture";

/** "m1 node.kubelet" → "node.kubelet" */
const stepsOf = (begun: readonly string[]) => begun.map(step => step.slice(3));

/** On real nodes: test/e2e/faults.full.test.ts. */
describe("a run in the real engine", function () {
    this.timeout("10m");

    before(function () {
        skipIf(this, notBuilt());
    });

    it("killed in the middle of each step of a machine, it goes on; no step of a machine runs twice", async () => {
        // One step takes longer than the next run needs to attach to it again.
        const fixture = await openFixture(1, 0, (_node, step) => (step === "cluster.join" ? 8 : 0.4));
        const { fleet } = fixture.cluster;
        const killedIn: string[] = [];
        try {
            for (;;) {
                const run = fixture.project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
                const began = fleet.begun().length;
                let over = false;
                const done = run.done.finally(() => {
                    over = true;
                });
                let killed = false;
                while (!over && !killed) {
                    const step = stepsOf(fleet.begun().slice(began)).find(each => !killedIn.includes(each));
                    if (step !== undefined) {
                        killTree(run.pid);
                        killedIn.push(step);
                        killed = true;
                    }
                    await new Promise(resolve => setTimeout(resolve, 10));
                }
                const { code, output } = await done;
                if (!killed) {
                    assert.equal(code, 0, output);
                    break;
                }
                await fixture.project.pulumi.stack.cancel();
            }
            const begun = stepsOf(fleet.begun());
            assert.deepEqual([...killedIn].sort(), [...new Set(begun)].sort(), "killed in each step");
            assert.deepEqual(
                begun.filter((step, i) => begun.indexOf(step) !== i && !isOfWholeCluster.test(step)),
                [],
                "these ran twice",
            );
            const steps = Object.keys(fleet.node("m1").agent.journal);
            assert.ok(killedIn.length > 20, `${killedIn.length} of ${steps.length}`);
            assert.equal(mostAtOnce(stepIntervals(fleet.events)), 1);
            await fixture.project.pulumi.up({ expectNoChanges: true });
        } finally {
            await fixture.close();
        }
    });
});
