import { strict as assert } from "node:assert";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookFacts } from "../../../provider/operation/hooks/contract";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

/** Writes what it is told to a file outside; fails as often as a file beside it says. */
const script = `#!/bin/sh
log=$1
facts=$(cat)
printf '%s\\n' "$facts" >>"LOG/script"
echo "script $PULUMI_NFV_EVENT $PULUMI_NFV_ATTEMPT" >>"LOG/order"
date +%s%3N >>"LOG/times"
echo $$ >>"LOG/pid"
if [ -e "LOG/fail-$PULUMI_NFV_EVENT" ]; then
    rm "LOG/fail-$PULUMI_NFV_EVENT"
    echo '{"errorHandlingData":{"left":"behind"}}' >"$PULUMI_NFV_RESULT"
    echo "the licence server says no" >&2
    exit 7
fi
if [ -e "LOG/hang-$PULUMI_NFV_EVENT" ]; then
    rm "LOG/hang-$PULUMI_NFV_EVENT"
    sleep 600
fi
`;

const driverModule = `
const { appendFileSync } = require("node:fs");
const say = context => appendFileSync("LOG/order", \`module \${context.etsiEvent} \${context.attempt}\\n\`);
module.exports = class {
    async instantiateStart(context) { say(context); }
    async instantiateEnd(context) { say(context); context.log("made " + context.nodes.after.map(({ name }) => name)); }
    async scaleStart(context) { say(context); }
    async scaleEnd(context) { say(context); }
    async scaleRollbackStart(context) { say(context); }
    async scaleRollbackEnd(context) { say(context); }
    async modifyInformationStart(context) { say(context); }
    async modifyInformationEnd(context) { say(context); }
    async terminateStart(context) { say(context); }
    async terminateEnd(context) { say(context); }
};
`;

/** Real engine, dynamic resources and SSH; what steps do on the machines is simulated. */
describe("hooks of a cluster's operations", function () {
    asStory(this);
    let fixture: Fixture;
    let log: string;
    let pools: Record<string, object>;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture(1, 2, () => 0.02);
        log = join(fixture.project.folder, "log");
        mkdirSync(log);
        mkdirSync(join(fixture.project.folder, "hooks"));
        put("hooks/say.sh", script, 0o755);
        put("hooks/driver.js", driverModule);
        fixture.project.pulumi.env["PULUMI_NFV_HOOK_RECORDS"] = join(log, "records");
        pools = structuredClone(fixture.args.infrastructure.hosts.pools.workers);
        fixture.args.infrastructure.hosts.pools.workers = { w1: pools["w1"] };
        fixture.args.hooks = [
            { name: "driver", module: "./hooks/driver.js", parameters: { site: "north" } },
            {
                name: "say",
                script: "./hooks/say.sh",
                events: [
                    "instantiateStart",
                    "instantiateEnd",
                    "scaleStart",
                    "scaleEnd",
                    "terminateStart",
                    "terminateEnd",
                ],
                parameters: { password: "open-sesame-now" },
            },
        ];
        fixture.give();
    });
    after(() => fixture?.close());

    const put = (file: string, text: string, mode = 0o644) => {
        const path = join(fixture.project.folder, file);
        writeFileSync(path, text.replaceAll("LOG", log));
        chmodSync(path, mode);
    };
    const lines = (file: string) =>
        existsSync(join(log, file)) ? readFileSync(join(log, file), "utf8").trim().split("\n") : [];
    const ended = async (...argv: string[]) => {
        const before = lines("order").length;
        const { code, output } = await fixture.project.pulumi.start([...argv, "--non-interactive"]).done;
        return { code, output, ran: lines("order").slice(before) };
    };
    const up = async (...argv: string[]) => {
        const { code, output, ran } = await ended("up", "--yes", "--skip-preview", ...argv);
        assert.equal(code, 0, output);
        return ran;
    };
    const told = () => lines("script").map(line => JSON.parse(line) as HookFacts);

    it("shows which hooks will run, in order, and runs none", async () => {
        const text = await fixture.project.pulumi.preview();
        assert.match(
            text,
            /1\. instantiate_start: driver \(module \.\/hooks\/driver\.js, [0-9a-f]{12}\) on this machine\s+2\. instantiate_start: say \(script[^\n]*\s+3\. instantiate_end: driver[^\n]*\s+4\. instantiate_end: say/,
        );
        assert.deepEqual(lines("order"), []);
    });

    it("refuses one that cannot run in our words: the engine's would begin with a value", async () => {
        put("hooks/say.sh", script, 0o644);
        const { code, output } = await ended("preview");
        put("hooks/say.sh", script, 0o755);
        assert.notEqual(code, 0);
        assert.match(output, /INVALID_INPUT\s+hook say: \.\/hooks\/say\.sh is not executable/);
        assert.doesNotMatch(output, /property hooks|<nil>/);
    });

    it("runs those of the instantiation once each, and tells them the cluster", async () => {
        assert.deepEqual(await up(), [
            "module instantiate_start 1",
            "script instantiate_start 1",
            "module instantiate_end 1",
            "script instantiate_end 1",
        ]);
        const [start, end] = told();
        assert.deepEqual(start!.nodes.before, []);
        assert.deepEqual(start!.nodes.added, ["m1", "w1"]);
        assert.equal(start!.cluster.kubeconfig, undefined);
        assert.equal(end!.cluster.name, "core");
        assert.match(end!.cluster.kubeconfig!, /current-context/);
        assert.deepEqual(
            end!.nodes.after.map(({ name, role }) => [name, role]),
            [
                ["m1", "controlPlane"],
                ["w1", "worker"],
            ],
        );
        assert.deepEqual(await up("--expect-no-changes"), []);
    });

    it("a failing start stops the operation before anything has changed", async () => {
        fixture.args.infrastructure.hosts.pools.workers = pools;
        fixture.give();
        writeFileSync(join(log, "fail-scale_start"), "");
        const before = fixture.cluster.fleet.begun().length;
        const { code, output, ran } = await ended("up", "--yes", "--skip-preview");
        assert.notEqual(code, 0);
        assert.match(output, /HOOK_FAILED[\s\S]*exit code 7[\s\S]*the licence server says no/);
        assert.match(output, /hook driver \(scale_start\): done \(\d+ s\)/);
        assert.match(output, /hook say \(scale_start\): failed \(\d+ s\)\s+the licence server says no/);
        assert.deepEqual(ran, ["module scale_start 1", "script scale_start 1"]);
        assert.deepEqual(fixture.cluster.fleet.begun().slice(before), []);
    });

    it("a failing end is all that the next run does", async () => {
        writeFileSync(join(log, "fail-scale_end"), "");
        const { code, output, ran } = await ended("up", "--yes", "--skip-preview");
        assert.notEqual(code, 0, output);
        const preview = await fixture.project.pulumi.preview();
        assert.match(preview, /hooks, in this order:\s+1\. scale_end: say \(script/);
        assert.doesNotMatch(preview, /scale_end: driver/, "it has ended");
        assert.deepEqual(ran, [
            "module scale_start 2",
            "script scale_start 2",
            "module scale_end 1",
            "script scale_end 1",
        ]);
        assert.deepEqual(told().at(-2)!.errorHandlingData, { left: "behind" });
        assert.deepEqual(await up(), ["script scale_end 2"]);
        const last = told().at(-1)!;
        assert.deepEqual([last.nodes.added, last.interrupted], [["w2"], false]);
        assert.ok(
            last.nodes.before.every(({ sshAddress }) => sshAddress !== undefined),
            "nodes of before are known",
        );
        assert.deepEqual(await up("--expect-no-changes"), []);
    });

    it("a heal is no termination: the hooks of that do not run, though the end of the operation is made again", async () => {
        fixture.args.heal = { run: "once", nodes: ["w2"] };
        fixture.give();
        assert.deepEqual(await up(), []);
        assert.deepEqual(await up("--expect-no-changes"), []);
        delete fixture.args.heal;
        fixture.give();
        const stack = await fixture.project.pulumi.run(["stack", "--show-urns"]);
        const [urn] = /urn:\S*nfv:Node::core-w2/.exec(stack)!;
        assert.deepEqual(await up("--replace", urn), []);
        assert.deepEqual(await up("--expect-no-changes"), []);
    });

    it("the end of a scale in comes when the node and its machine are given back", async () => {
        fixture.args.infrastructure.hosts.pools.workers = { w1: pools["w1"] };
        fixture.give();
        const events = () => fixture.cluster.fleet.events.filter(({ node, event }) => node === "w2" && event === "end");
        const before = events().length;
        assert.deepEqual(await up(), [
            "module scale_start 1",
            "script scale_start 1",
            "module scale_end 1",
            "script scale_end 1",
        ]);
        const [start, end] = lines("times").slice(-2).map(Number);
        const left = events()
            .slice(before)
            .map(({ time }) => time);
        assert.ok(left.length > 0 && left.every(time => time > start! && time < end!), `${start} ${left} ${end}`);
        assert.deepEqual(told().at(-1)!.nodes.removed, ["w2"]);
        assert.deepEqual(await up("--expect-no-changes"), []);
    });

    it("a failing end of a scale in runs again, and only it", async () => {
        fixture.args.infrastructure.hosts.pools.workers = pools;
        fixture.give();
        await up();
        fixture.args.infrastructure.hosts.pools.workers = { w1: pools["w1"] };
        fixture.give();
        writeFileSync(join(log, "fail-scale_end"), "");
        const { code, output, ran } = await ended("up", "--yes", "--skip-preview");
        assert.notEqual(code, 0, output);
        assert.deepEqual(ran.slice(2), ["module scale_end 1", "script scale_end 1"]);
        assert.deepEqual(await up(), ["script scale_end 2"]);
        assert.deepEqual(await up("--expect-no-changes"), []);
    });

    for (const moment of ["start", "end"]) {
        it(`kill -9 of the engine in a hook of the ${moment}: the hook ends, too, and runs again when the next run goes on`, async () => {
            const isOut = moment === "start";
            fixture.args.infrastructure.hosts.pools.workers = isOut ? pools : { w1: pools["w1"] };
            fixture.give();
            const event = `scale_${moment}`;
            writeFileSync(join(log, `hang-${event}`), "");
            const run = fixture.project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
            // The script takes the mark away when it begins to hang.
            while (existsSync(join(log, `hang-${event}`))) await sleep(50);
            process.kill(run.pid, "SIGKILL");
            await run.done;
            const pid = lines("pid").at(-1)!;
            for (let i = 0; existsSync(`/proc/${pid}`) && i < 200; i++) await sleep(50);
            assert.ok(!existsSync(`/proc/${pid}`), "the script has ended");
            await fixture.project.pulumi.run(["cancel", "--yes"]);
            const ran = await up();
            const last = told()
                .filter(({ etsiEvent }) => etsiEvent === event)
                .at(-1)!;
            assert.deepEqual([last.attempt, last.interrupted], [2, true]);
            assert.deepEqual(
                ran.filter(line => line.endsWith("2")),
                isOut ? [`module ${event} 2`, `script ${event} 2`] : [`script ${event} 2`],
            );
            assert.deepEqual(await up("--expect-no-changes"), []);
        });
    }

    it("taking back an operation that failed runs the hooks of a rollback, and its own end never", async () => {
        fixture.args.infrastructure.hosts.pools.workers = pools;
        fixture.give();
        const { agent } = fixture.cluster.fleet.node("w2");
        agent.failStep("cluster.join", 99, { exitCode: 1, output: "no\n" });
        const { code, output, ran } = await ended("up", "--yes", "--skip-preview");
        assert.notEqual(code, 0, output);
        assert.deepEqual(ran, ["module scale_start 1", "script scale_start 1"]);
        agent.failStep("cluster.join", 0);
        fixture.args.infrastructure.hosts.pools.workers = { w1: pools["w1"] };
        fixture.give();
        const text = await fixture.project.pulumi.preview();
        assert.match(text, /operation: rollback of scale out workers \+1 \(w2\)/);
        assert.deepEqual(await up(), ["module scale_rollback_start 1", "module scale_rollback_end 1"]);
        assert.deepEqual(await up("--expect-no-changes"), []);
    });

    it("shows no secret", async () => {
        const state = await fixture.project.pulumi.exportStack();
        assert.doesNotMatch(state, /open-sesame-now/);
    });

    it("runs those of the termination by a plain destroy", async () => {
        const { code, output, ran } = await ended("destroy", "--yes", "--skip-preview");
        assert.equal(code, 0, output);
        assert.deepEqual(ran, [
            "module terminate_start 1",
            "script terminate_start 1",
            "module terminate_end 1",
            "script terminate_end 1",
        ]);
    });
});
