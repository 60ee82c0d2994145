import { strict as assert } from "node:assert";
import { killAtEachMoment, stepIn } from "../support/kill-at-each-moment";
import { asStory } from "../support/story";
import { isOfWholeCluster } from "../support/whole-cluster";
import { canaries, clusterArguments, type Fixture, openFixture } from "./cluster-fixture";

interface Row {
    /** Kill a run at every n-th step; each day other steps. */
    every: number;
    /** The least number of steps that must have been killed. */
    atLeast: number;
}

/** The story of killed runs; with `every: 1` it takes seven minutes. */
export function killedRuns({ every, atLeast }: Row): void {
    describe(`a run that is interrupted${every === 1 ? " in every step" : ""}`, function () {
        this.timeout("20m");
        asStory(this);
        let fixture: Fixture;
        const today = Math.floor(Date.now() / 86_400_000) % every;

        before(async () => {
            fixture = await openFixture({ name: "faults", nodes: ["m1", "w1"], plugins: [] });
            const args = clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] });
            const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
            await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
            // Slows each step down: quick steps would be over before their title is shown.
            const slow =
                "printf '%s\\n' '#!/bin/sh' 'sleep 1.2' 'exec /usr/bin/timeout \"$@\"' >/usr/local/bin/timeout";
            for (const node of ["m1", "w1"])
                await fixture.lab.mustSsh(node, `${slow} && chmod 755 /usr/local/bin/timeout`);
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
                isChosen: n => n % every === today,
                afterKill: async n => {
                    if (n === 1) await isLocked();
                },
            });
            assert.equal(outcome.code, 0, outcome.output);
            console.log(`      killed ${kills.length} times, in these steps: ${kills.join("; ")}`);
            assert.ok(kills.length >= atLeast, `only ${kills.length} steps of ${moments} were killed`);
            assert.match(await fixture.kubectl("get", "nodes"), /w1 +Ready/);
            for (const node of ["m1", "w1"]) {
                const log = await fixture.lab.mustSsh(
                    node,
                    "journalctl --no-pager -o cat | grep -oE '^nfv-step-[a-z0-9.-]+ (begins|ended with [0-9]+)$'",
                );
                const times: Record<string, number> = {};
                for (const [, step, what] of log.matchAll(/^(\S+) (begins|ended)/gm)) {
                    // A step may fail after its run was killed, as on a slow machine. The next run starts it again.
                    if (what === "ended") console.log(`      failed on ${node}, unseen: ${step}`);
                    times[step!] = (times[step!] ?? 0) + (what === "begins" ? 1 : -1);
                }
                assert.ok(Object.keys(times).length >= 5, log);
                for (const [step, count] of Object.entries(times).filter(
                    ([each]) => !isOfWholeCluster.test(each.replace(/^nfv-step-/, "")),
                ))
                    assert.equal(count, 1, `${step} on ${node} ran ${count} times:\n${log}`);
            }
        });

        it("changes nothing more afterwards", async () => {
            await fixture.project.up({ expectNoChanges: true });
            await fixture.project.destroy();
        });
    });
}
