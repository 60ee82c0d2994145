import { strict as assert } from "node:assert";
import { killAtEachMoment, stepIn } from "../../support/kill-at-each-moment";
import { isOfWholeCluster } from "../../support/whole-cluster";
import { stepTimes } from "../step-times";
import type { Life } from "./life";

const nodes = ["m1", "w1"];
/** A run is killed in another step each day. */
const fatal = 3 + (Math.floor(Date.now() / 86_400_000) % 12);

/** kubeadm does all of its work, and reports nevertheless that the API did not answer in time: the worst case of a slow API. */
const slowFirstJoin = `#!/bin/sh
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
[ "$1" = join ] && [ ! -e /run/first-join ] || exec kubeadm "$@"
touch /run/first-join
kubeadm "$@" || exit
echo 'error: error execution phase kubelet-start: client rate limiter Wait returned an error: context deadline exceeded' >&2
exit 1
`;
const slowProgram = "/usr/local/sbin/kubeadm";

export function isMade(life: Life): void {
    it("shows before the first run which steps will run on which node", async () => {
        const text = await life.fixture.project.preview("--diff");
        for (const node of nodes) assert.match(text, new RegExp(`core-${node}`));
        assert.match(text, /initialise or join the cluster"?\s*: "to do"/);
    });

    it("is made by the next `up` after one was killed in the middle of a step", async () => {
        const { lab, project } = life.fixture;
        const script = Buffer.from(slowFirstJoin).toString("base64");
        await lab.mustSsh("w1", `echo ${script} | base64 -d >${slowProgram} && chmod 755 ${slowProgram}`);
        const { kills, moments, outcome } = await killAtEachMoment(project, ["up"], {
            momentIn: stepIn,
            isChosen: n => n === fatal,
            sideBySide: true,
        });
        assert.equal(outcome.code, 0, outcome.output);
        life.events += outcome.output;
        console.log(`      killed in step ${fatal} of ${moments}: ${kills}`);
        assert.equal(kills.length, 1);
        assert.deepEqual(Object.keys(await life.ready()), nodes);
    });

    it("has run no step twice, but the join of a worker for which the API was too slow", async () => {
        for (const node of nodes) {
            const steps = await stepTimes(life.fixture.lab, node);
            assert.ok(Object.keys(steps).length >= 5, JSON.stringify(steps));
            for (const [step, { begun, failed }] of Object.entries(steps)) {
                // A step may fail after its run was killed, as on a slow machine. The next run starts it again.
                if (failed > 0) console.log(`      failed on ${node}: ${step}`);
                if (!isOfWholeCluster.test(step)) assert.equal(begun - failed, 1, `${step} on ${node}`);
            }
        }
        const { begun, failed } = (await stepTimes(life.fixture.lab, "w1"))["cluster.join"]!;
        assert.ok(begun >= 2 && failed >= 1, `${begun} joins, ${failed} failed`);
        await life.fixture.lab.mustSsh("w1", `rm ${slowProgram} /run/first-join`);
    });

    it("changes nothing when `up` runs again", async () => {
        await life.fixture.project.up({ expectNoChanges: true });
    });
}
