import { strict as assert } from "node:assert";
import { killAtEachMoment, stepIn } from "../support/kill-at-each-moment";
import { asStory } from "../support/story";
import { isOfWholeCluster } from "../support/whole-cluster";
import { canaries, clusterArguments, type Fixture, openFixture } from "./cluster-fixture";
import { stepTimes } from "./step-times";

/** Seven minutes; life-of-one.test.ts kills a run in one step. */
describe("a run that is interrupted in every step", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;

    before(async () => {
        fixture = await openFixture({ name: "faults", nodes: ["m1", "w1"], plugins: [] });
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] });
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
        // Slows each step down: quick steps would be over before their title is shown.
        const slow = "printf '%s\\n' '#!/bin/sh' 'sleep 1.2' 'exec /usr/bin/timeout \"$@\"' >/usr/local/bin/timeout";
        for (const node of ["m1", "w1"]) await fixture.lab.mustSsh(node, `${slow} && chmod 755 /usr/local/bin/timeout`);
    });
    after(() => fixture?.close());

    async function isLocked(): Promise<void> {
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"], () => {});
        const { code, output } = await run.done;
        assert.notEqual(code, 0);
        assert.match(output, /locked/, "the lock that the killed run left is named");
    }

    it("killed in the middle of a step, it is finished by the next `up`; nothing runs twice", async () => {
        const { kills, moments, outcome } = await killAtEachMoment(fixture.project, ["up"], {
            momentIn: stepIn,
            afterKill: async n => {
                if (n === 1) await isLocked();
            },
        });
        assert.equal(outcome.code, 0, outcome.output);
        console.log(`      killed ${kills.length} times, in these steps: ${kills.join("; ")}`);
        assert.ok(kills.length >= 25, `only ${kills.length} steps of ${moments} were killed`);
        assert.match(await fixture.kubectl("get", "nodes"), /w1 +Ready/);
        for (const node of ["m1", "w1"]) {
            const times = await stepTimes(fixture.lab, node);
            assert.ok(Object.keys(times).length >= 5, JSON.stringify(times));
            for (const [step, { begun, failed }] of Object.entries(times)) {
                // A step may fail after its run was killed, as on a slow machine. The next run starts it again.
                if (failed > 0) console.log(`      failed on ${node}, unseen: ${step}`);
                if (!isOfWholeCluster.test(step)) assert.equal(begun - failed, 1, `${step} on ${node}`);
            }
        }
    });

    it("changes nothing more afterwards", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.destroy();
    });
});

describe("a network that is silent", function () {
    this.timeout("10m");
    asStory(this);
    let fixture: Fixture;

    before(async () => {
        fixture = await openFixture({ name: "faults", nodes: ["m1"], plugins: [] });
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers: [] });
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    });
    after(() => fixture?.close());

    it("for 20 s in a long step does not stop it", async () => {
        let cut: Promise<unknown> | undefined;
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (cut || !/initialise or join the cluster/.test(text)) return;
            cut = (async () => {
                await new Promise(resolve => setTimeout(resolve, 3000));
                await fixture.lab.cut("m1");
                await new Promise(resolve => setTimeout(resolve, 20_000));
                await fixture.lab.restore("m1");
            })();
        });
        const outcome = await run.done;
        assert.ok(cut, "the step was seen");
        await cut;
        assert.equal(outcome.code, 0, outcome.output.slice(-3000));
        assert.deepEqual((await stepTimes(fixture.lab, "m1"))["cluster.join"], { begun: 1, failed: 0 });
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.destroy();
    });
});
