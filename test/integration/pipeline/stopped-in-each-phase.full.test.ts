import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { PipelineEvent } from "../../../pipeline";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { startRunner } from "./runner";
import { type SiteFixture, siteFixture } from "./site-fixture";

const signals: NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];
/** More than the runs of any story here; a step that each run begins again and none ends would go on for ever. */
const mostRuns = 120;

/** Where in its run an operation is stopped: its own stages, each phase, and every fourth step of each machine. */
function momentOf(event: PipelineEvent): string | undefined {
    if (event.type === "stage") return event.stage;
    if (event.type === "phase") return event.phase;
    if (event.type === "step" && event.number % 4 === 1) return `${event.node}: ${event.step}`;
    return undefined;
}

/** Its smaller counterpart: interrupted.test.ts. */
describe("an operation that is stopped in each of its phases", function () {
    this.timeout("40m");
    asStory(this);
    let fixture: SiteFixture;
    /** What began on the machines in each run, as "w1 cluster.join". */
    const runs: string[][] = [];

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await siteFixture(1, 2, { masters: 1, workers: 1 });
        // Longer than the signal needs to come, so that a run does not get far behind the step at which it is stopped.
        fixture.secondsOfOthers = 0.7;
    });
    after(() => fixture?.close());

    /** Each run is stopped at the first moment at which no run before it was stopped, until one comes to its end. */
    async function stopAtEach(operation: string, args: unknown[] = []): Promise<string[]> {
        const moments: string[] = [];
        runs.length = 0;
        while (moments.length < mostRuns) {
            const runner = startRunner(fixture, operation, args);
            let at: string | undefined;
            const stopped = runner.until(event => {
                const moment = momentOf(event);
                if (at !== undefined || moment === undefined || moments.includes(moment)) return at !== undefined;
                at = moment;
                return true;
            });
            const signal = signals[moments.length % signals.length]!;
            const came = await stopped.then(
                () => true,
                () => false,
            );
            if (!came) {
                const { code, stderr } = await runner.done;
                assert.equal(code, 0, `the run after ${moments.at(-1)}: ${stderr}`);
                runs.push(fixture.begun());
                return moments;
            }
            moments.push(at!);
            console.log(`        ${signal} at "${at}"`);
            runner.child.kill(signal);
            const { code, stderr } = await runner.done;
            const said = `${at}, ${signal}: exit ${code}\n${stderr}`;
            runs.push(fixture.begun());
            assert.equal(code, 130, said);
            assert.match(stderr, new RegExp(`CANCELLED\\n[\\s\\S]*${signal}`), said);
            assert.equal(existsSync(fixture.site.files.record), false, `a record of the run stays: ${said}`);
        }
        assert.fail(`${mostRuns} runs did not end it: ${moments.slice(-5).join("; ")}`);
    }

    /** Steps of machines that are begun again although the run that began them went on to another one behind them. */
    function repeated(): string[] {
        const ended = new Set<string>();
        const found: string[] = [];
        for (const run of runs) {
            const steps = run.filter(each => / (host|system|node)\.|cluster\.join/.test(each));
            found.push(...steps.filter(step => ended.has(step)));
            const later = (step: string, i: number) =>
                steps.slice(i + 1).some(each => each.split(" ")[0] === step.split(" ")[0]);
            for (const step of steps.filter(later)) ended.add(step);
        }
        return found;
    }

    const settled = async () => {
        const { plan } = await fixture.site.preview();
        assert.deepEqual([plan.nodes, plan.operations], [[], []]);
    };

    it("goes on where it stopped, each step done once: instantiate", async () => {
        const moments = await stopAtEach("up");
        console.log(`        stopped at ${moments.length} moments: ${moments.join("; ")}`);
        for (const moment of ["preview", "approve", "up"]) assert.ok(moments.includes(moment), moments.join("; "));
        for (const node of ["m1", "w1"]) assert.ok(moments.some(moment => moment.startsWith(`${node}: `)));
        assert.deepEqual(repeated(), []);
        await settled();
    });

    it("leaves the stack's configuration as it was until the run begins, and goes on: scale", async () => {
        const moments = await stopAtEach("scale", [{ workers: 2 }]);
        console.log(`        stopped at ${moments.length} moments`);
        assert.ok(moments.includes("configure"), moments.join("; "));
        assert.ok(moments.some(moment => moment.startsWith("w2: ")));
        assert.deepEqual(repeated(), []);
        await settled();
    });

    it("leaves nothing on the machines at last: terminate", async () => {
        // Nothing to do after the stories before; alone it needs a cluster.
        fixture.secondsOfOthers = 0.01;
        await fixture.site.up();
        fixture.secondsOfOthers = 0.7;
        const moments = await stopAtEach("terminate");
        console.log(`        stopped at ${moments.length} moments`);
        assert.ok(moments.includes("destroy"), moments.join("; "));
        for (const [name, node] of fixture.cluster.fleet.nodes) assert.deepEqual(node.agent.journal, {}, name);
    });
});
