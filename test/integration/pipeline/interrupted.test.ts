import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { PipelineEvent } from "../../../pipeline";
import { readRecord } from "../../../pipeline/stack/runner-record";
import { killProcess } from "../../support/kill-tree";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { startRunner } from "./runner";
import { type SiteFixture, siteFixture } from "./site-fixture";

const joins = "initialise or join the cluster";

/** Runners in processes of their own; real engine and SSH, only the steps' effects are simulated. */
describe("a run that is stopped, killed or not alone", function () {
    this.timeout("6m");
    asStory(this);
    let fixture: SiteFixture;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await siteFixture(1, 2, { masters: 1, workers: 1 });
    });
    after(() => fixture?.close());

    const isStep = (node: string, title: string) => (event: PipelineEvent) =>
        event.type === "step" && event.node === node && event.step === title;
    const fails = async (run: PromiseLike<unknown>, code: string) =>
        assert.rejects(Promise.resolve(run), (error: any) => {
            assert.equal(error.code, code, error.stack);
            return true;
        });

    it("ends with 130 when it is asked to by SIGTERM, frees its locks, and the next one goes on", async () => {
        fixture.seconds[`m1 cluster.join`] = 8;
        const runner = startRunner(fixture, "up");
        await runner.until(isStep("m1", joins));
        runner.child.kill("SIGTERM");
        const { code, stderr } = await runner.done;
        assert.equal(code, 130, stderr);
        assert.match(stderr, /CANCELLED\n.*SIGTERM/);
        assert.ok(!fixture.begun().some(each => each.startsWith("w1 cluster.join")));
        assert.equal(existsSync(fixture.site.files.record), false);
        fixture.seconds[`m1 cluster.join`] = 0.01;
        await fixture.site.up();
        const ran = fixture.begun();
        assert.ok(ran.includes("w1 cluster.join"), ran.join());
        assert.ok(!ran.some(each => each.startsWith("m1 host.")), "what was done is not done again");
    });

    it("makes a second one fail or wait, as that wants", async () => {
        fixture.seconds["w2 cluster.join"] = 6;
        const first = startRunner(fixture, "scale", [{ workers: 2 }]);
        await first.until(isStep("w2", joins));
        await fails(fixture.site.up(), "STACK_LOCKED");
        const second = fixture.site.up({ whenBusy: "wait" });
        assert.equal((await second).ran, true);
        const waits = second.events.filter(event => event.type === "stage" && event.stage === "wait");
        assert.equal(waits.length, 1);
        assert.equal((await first.done).code, 0, (await first.done).stderr);
    });

    it("that was killed is recognised, and its lock taken over only when that is asked for and it is dead", async () => {
        fixture.seconds["node.labels"] = 30;
        fixture.args.pools.workers.labels = { site: "north" };
        fixture.give();
        const runner = startRunner(fixture, "up");
        await runner.until(isStep("w2", "set labels and taints"));
        const { pulumi } = readRecord(fixture.site.files)!;
        const provider = () => inSession(pulumi!.pid, "dynamic-provider");
        assert.equal(provider().length, 1);
        // Pulumi's process outlives its runner until it next says something; while it lives, the lock is not left.
        killProcess(pulumi!.pid, "SIGSTOP");
        killProcess(runner.child.pid!);
        await runner.done;
        await fails(fixture.site.up({ takeOver: true }), "STACK_LOCKED");
        killProcess(pulumi!.pid);
        fixture.seconds["node.labels"] = 0.01;
        await fails(fixture.site.up(), "RUN_ABANDONED");
        const { ran } = await fixture.site.up({ takeOver: true });
        assert.ok(ran);
        const { plan } = await fixture.site.preview();
        assert.deepEqual([plan.nodes, plan.operations], [[], []]);
        // Pulumi could not end it.
        assert.deepEqual(provider(), []);
    });

    it("whose Pulumi was killed says so, and its lock can be taken over", async () => {
        fixture.seconds["node.labels"] = 30;
        fixture.args.pools.workers.labels = { site: "south" };
        fixture.give();
        const runner = startRunner(fixture, "up");
        await runner.until(isStep("w1", "set labels and taints"));
        killProcess(readRecord(fixture.site.files)!.pulumi!.pid);
        const { code, stderr } = await runner.done;
        assert.equal(code, 1, stderr);
        assert.match(stderr, /RUN_FAILED\n[\s\S]*SIGKILL[\s\S]*--take-over/);
        fixture.seconds["node.labels"] = 0.01;
        await fails(fixture.site.up(), "RUN_ABANDONED");
        assert.ok((await fixture.site.up({ takeOver: true })).ran);
    });

    it("is no success where it is stopped between two resources of a destroy; the next one removes the rest", async () => {
        const runner = startRunner(fixture, "terminate");
        await runner.until(event => event.type === "phase");
        runner.child.kill("SIGTERM");
        const { code, stderr } = await runner.done;
        assert.equal(code, 130, stderr);
        const summary = runner.events.filter(event => event.type === "summary").at(-1);
        assert.equal(summary?.result, "stopped");
        await fixture.site.terminate();
        for (const [name, node] of fixture.cluster.fleet.nodes) assert.deepEqual(node.agent.journal, {}, name);
    });
});

/** Processes of a session whose command line has the word. */
function inSession(session: number, word: string): string[] {
    return readdirSync("/proc").filter(pid => {
        try {
            const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
            const its = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
            return its === session && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
        } catch {
            return false; // no process, or it has ended meanwhile
        }
    });
}
