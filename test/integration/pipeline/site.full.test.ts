import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import Ajv from "ajv/dist/2020";
import {
    eventSchema,
    type Guards,
    openSite,
    type PipelineEvent,
    type Run,
    type RunResult,
    toLine,
} from "../../../pipeline";
import { approval } from "../../../pipeline/operations/operate";
import { withSettings } from "../../../pipeline/stack/configuration";
import { draftsOf } from "../../../pipeline/stack/stack-file";
import { rotationStateArgv } from "../../../provider/procedures/encryption-key/encryption-acts";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type SiteFixture, siteFixture } from "./site-fixture";

/** Real engine, Automation API, dynamic resources and SSH; only the steps' effects are simulated. */
describe("a site", function () {
    asStory(this);
    let fixture: SiteFixture;
    const lines: string[] = [];

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await siteFixture(3, 3, { masters: 1, workers: 2 });
    });
    after(() => fixture?.close());

    const site = () => fixture.site;
    const config = () => (existsSync(site().configuration) ? readFileSync(site().configuration, "utf8") : "");
    const refused = async (run: Run<RunResult>, code: string, words: RegExp) => {
        await assert.rejects(Promise.resolve(run), (error: any) => {
            assert.equal(error.code, code, error.stack);
            assert.match(error.message, words);
            return true;
        });
    };
    const joined = () => fixture.begun().filter(each => each.endsWith(" cluster.join"));

    it("is previewed without a change", async () => {
        const { plan, ran } = await site().preview({ onEvent: event => lines.push(toLine(event)) });
        assert.equal(ran, false);
        assert.deepEqual(
            plan.operations.map(({ names }) => names),
            [["instantiate"]],
        );
        assert.deepEqual(
            plan.nodes.map(({ node, change }) => `${node} ${change}`),
            ["m1 joins", "w1 joins", "w2 joins"],
        );
        assert.deepEqual(fixture.begun(), []);
        fixture.args.pools.workers.labels = { site: "north" };
        fixture.give();
        const { plan: other } = await site().preview();
        assert.notEqual(other.hash, plan.hash, "what steps write is in the hash of the first plan, too");
        delete fixture.args.pools.workers.labels;
        fixture.give();
        assert.equal((await site().preview()).plan.hash, plan.hash);
    });

    it("is instantiated; its events come while it runs, all in the schema", async () => {
        const validate = new Ajv({ strict: false }).compile(eventSchema);
        const run = site().instantiate();
        const types = new Set<string>();
        for await (const event of run) {
            assert.ok(validate(event), `${JSON.stringify(event)} ${JSON.stringify(validate.errors)}`);
            types.add(event.type);
            lines.push(toLine(event));
        }
        const { ran, outputs, summary } = await run;
        assert.ok(ran && outputs["kubeconfig"]?.secret);
        assert.equal(summary?.result, "succeeded");
        for (const type of [
            "stage",
            "plan",
            "operation",
            "phase",
            "node",
            "step",
            "summary",
        ] as PipelineEvent["type"][])
            assert.ok(types.has(type), type);
        assert.deepEqual(joined().sort(), ["m1 cluster.join", "w1 cluster.join", "w2 cluster.join"]);
    });

    it("is scaled by its configuration; the program stays as it is", async () => {
        const { plan } = await site().scale({ workers: 3 });
        assert.deepEqual(plan.operations[0]!.names, ["scale"]);
        assert.deepEqual(joined(), ["w3 cluster.join"]);
        assert.match(config(), /pulumi-nfv:cluster:\n {4}pools:\n {6}workers:\n {8}count: 3/);
    });

    it("is not touched, and its configuration stays, where guards refuse, the plan is not approved, or the program has no such pool", async () => {
        const before = config();
        fixture.begun();
        const guards: Guards = { allow: ["heal"], maxDisruption: { workers: "34%" } };
        await refused(
            site().scale({ workers: 1 }, { guards }),
            "GUARD_REFUSED",
            /scale in workers -2[\s\S]*2 of 3 nodes/,
        );
        await refused(site().scale({ worker: 1 }), "INVALID_INPUT", /the program has no such pool/);
        await refused(site().scale({ workers: 1 }, { approve: () => false }), "CANCELLED", /not approved/);
        assert.equal(config(), before);
        assert.deepEqual(draftsOf(site().configuration), []);
        assert.deepEqual(fixture.begun(), []);
    });

    it("runs the plan that was approved, and no other", async () => {
        const { plan } = await site().scale({ workers: 2 }, { previewOnly: true });
        fixture.args.pools.workers.labels = { site: "north" };
        fixture.give();
        await refused(
            site().scale({ workers: 2 }, { plan: plan.hash, guards: { allow: ["scale", "modify_information"] } }),
            "PLAN_CHANGED",
            new RegExp(plan.hash),
        );
        delete fixture.args.pools.workers.labels;
        fixture.give();
        fixture.begun();
        const slowly = (change: () => void) => ({
            approve: () => {
                change();
                return true;
            },
        });
        const { now } = approval;
        // A laptop has slept since Friday: no clock of the process has gone on.
        const sleepUntilMonday = () => {
            approval.now = () => now() + 3 * 86_400_000;
        };
        const changeProgram = () => {
            sleepUntilMonday();
            fixture.args.pools.workers.labels = { site: "north" };
            fixture.give();
        };
        await refused(site().scale({ workers: 2 }, slowly(changeProgram)), "PLAN_CHANGED", new RegExp(plan.hash));
        delete fixture.args.pools.workers.labels;
        fixture.give();
        approval.now = now;
        const former = config();
        const changeConfiguration = () => writeFileSync(site().configuration, former.replace("count: 3", "count: 1"));
        await refused(site().scale({ workers: 2 }, slowly(changeConfiguration)), "PLAN_CHANGED", /was changed since/);
        writeFileSync(site().configuration, former);
        assert.deepEqual(fixture.begun(), []);
        await refused(
            site().scale({ workers: 2 }, { guards: { forbidReplace: ["w33"] } }),
            "INVALID_INPUT",
            /there is no w33; there are nodes m1, w1, w2, w3/,
        );
        const { ran } = await site().scale({ workers: 2 }, { plan: plan.hash });
        assert.ok(ran);
        assert.deepEqual(fixture.cluster.fleet.node("w3").agent.journal, {});
    });

    it("heals by name, once for a word", async () => {
        fixture.begun();
        await site().heal(["w1"], { run: "job-7" });
        assert.deepEqual(joined(), ["w1 cluster.join"]);
        await site().heal(["w1"], { run: "job-7" });
        assert.deepEqual(joined(), []);
    });

    it("goes on with a heal that failed, also without its word; then the same call heals again", async () => {
        const { agent } = fixture.cluster.fleet.node("w2");
        agent.failStep("cluster.join");
        fixture.begun();
        const failed = site().heal(["w1", "w2"]);
        await refused(failed, "STEP_FAILED", /with --run nfv-\d{8}-\d{6} the next one does nothing twice/);
        assert.deepEqual(joined(), ["w1 cluster.join", "w2 cluster.join"]);
        const again = site().heal(["w2", "w1"]);
        await again;
        assert.deepEqual(joined(), ["w2 cluster.join"]);
        assert.ok(
            again.events.some(event => event.type === "message" && /goes on with the heal nfv-/.test(event.text)),
        );
        await site().heal(["w1", "w2"]);
        assert.deepEqual(joined().sort(), ["w1 cluster.join", "w2 cluster.join"]);
        assert.ok(agent.belongsTo);
    });

    it("refuses a word that the configuration has, and the program does not read", async () => {
        const before = config();
        const asked = { path: ["heal"], value: { run: "never", all: true } };
        writeFileSync(site().configuration, withSettings(before, "edge", [asked]));
        const { folder, pulumi } = fixture.project;
        const edge = await openSite({ stack: "dev", folder, env: pulumi.env, key: "edge" });
        await refused(edge.heal("all", { run: "never" }), "INVALID_INPUT", /under the word never, .*pulumi-nfv:edge/);
        writeFileSync(site().configuration, before);
    });

    it("exchanges a key, once for a word; the configuration keeps the word", async () => {
        const m1 = fixture.cluster.fleet.node("m1");
        m1.on(rotationStateArgv, () => ({
            stdout: `member=${m1.agent.belongsTo?.cluster}\nready=yes\nours=yes\nkeys=key1\netcd=yes\nmembers=m1\n`,
        }));
        await refused(site().rotate(["keys" as never], { run: "one" }), "INVALID_INPUT", /there are encryptionKey/);
        fixture.begun();
        // Pulumi would take a plain date for a time.
        const run = "2026-11-27";
        await site().rotate(["encryptionKey"], { run });
        assert.ok(fixture.begun().includes("m1 node.encryption-key-alone"));
        assert.match(config(), /rotate:\n {6}encryptionKey: "2026-11-27"/);
        await site().rotate(["encryptionKey"], { run });
        assert.deepEqual(fixture.begun(), []);
    });

    it("refuses a jump over a minor version, and changes nothing", async () => {
        const before = config();
        await refused(site().upgrade("1.38.0"), "INVALID_INPUT", /1\.38\.0/);
        assert.equal(config(), before);
    });

    it("is checked", async () => {
        const { verdict, nodes } = await site().check();
        assert.deepEqual([nodes, verdict.name], [3, "healthy"], JSON.stringify(verdict));
    });

    it("is terminated", async () => {
        const { plan } = await site().terminate({ previewOnly: true });
        assert.deepEqual(plan.operations[0]!.names, ["terminate"]);
        await site().terminate({ plan: plan.hash });
        for (const [name, node] of fixture.cluster.fleet.nodes) assert.deepEqual(node.agent.journal, {}, name);
    });
});
