import assert from "node:assert/strict";
import type { NfvError } from "../../../../../provider/common/errors";
import type { HookFacts, NodeCommand } from "../../../../../provider/operation/hooks/contract";
import { runModule } from "../../../../../provider/operation/hooks/module-hook";
import { type CommandPlace, runOnNode } from "../../../../../provider/operation/hooks/on-node";
import { runScript } from "../../../../../provider/operation/hooks/script-hook";
import type { HookTools } from "../../../../../provider/operation/hooks/tools";
import { Connections } from "../../../../../provider/ssh";
import { FakeFleet, type FleetOptions } from "../../../../../testing";
import { ownFolder, specOf, toolsIn } from "./fixtures";
import { scaleOut } from "./tacker/fixtures";

const step = "hook.mgmt.scaleEnd.1";

describe("what a hook runs on nodes", () => {
    const folder = ownFolder();
    let fleet: FakeFleet;
    let connections: Connections;
    const scripts: string[] = [];
    const start = async (options: Partial<FleetOptions> = {}) => {
        await fleet?.stop();
        fleet = await FakeFleet.start({
            nodes: ["m1", "w1", "w2", "w3"],
            steps: {
                [step]: script => {
                    scripts.push(script);
                    return { output: "said by the node\n" };
                },
            },
            ...options,
        });
    };
    beforeEach(async () => {
        connections = new Connections();
        scripts.length = 0;
        await start();
    });
    afterEach(async () => {
        await connections.close();
        await fleet.stop();
    });

    const tools = (change: Partial<HookTools> = {}) =>
        toolsIn(folder.path, {
            machineOf: name => ({ name, connection: connections.to(fleet.target(name)) }),
            ...change,
        });
    const place = (change: Partial<CommandPlace> = {}): CommandPlace => ({
        facts: scaleOut("end"),
        hash: "0123456789ab",
        number: 1,
        timeoutSeconds: 30,
        ...change,
    });
    const command: NodeCommand = { script: "echo hello", env: { NAME: "x" } };
    const run = (at = place(), each = command, node = "w1") => runOnNode(node, each, at, tools());
    const begun = () => fleet.begun().filter(each => each.includes("hook."));
    const failure = async (promise: Promise<unknown>) =>
        promise.then(
            () => assert.fail("it did not fail"),
            (error: NfvError) => error,
        );

    it("is a step of the hook, its event and the command's number, and returns what it printed", async () => {
        assert.equal((await run()).trim(), "said by the node");
        assert.deepEqual(begun(), [`w1 ${step}`]);
        await run(place({ number: 2 }));
        assert.deepEqual(begun(), [`w1 ${step}`, "w1 hook.mgmt.scaleEnd.2"]);
    });

    it("does not run again in a later attempt for the same operation", async () => {
        await run();
        await run(place({ facts: { ...scaleOut("end"), attempt: 2, interrupted: true, errorHandlingData: { a: 1 } } }));
        assert.deepEqual(begun(), [`w1 ${step}`]);
    });

    const others: [title: string, at: CommandPlace, each: NodeCommand][] = [
        ["another operation", place({ facts: withOperation({ id: "8" }) }), command],
        ["another operation of the same number", place({ facts: withOperation({ reasons: ["other"] }) }), command],
        ["another content of the hook's files", place({ hash: "ba9876543210" }), command],
        ["another script", place(), { ...command, script: "echo other" }],
        ["other values", place(), { ...command, env: { NAME: "y" } }],
    ];
    for (const [title, at, each] of others)
        it(`runs again for ${title}`, async () => {
            await run();
            await run(at, each);
            assert.deepEqual(begun(), [`w1 ${step}`, `w1 ${step}`]);
        });

    it("runs again after a failure, which is HOOK_FAILED and names the node", async () => {
        fleet.node("w1").agent.failStep(step, 1);
        const error = await failure(run());
        assert.deepEqual([error.code, error.node, error.step], ["HOOK_FAILED", "w1", "hook mgmt: scale_end"]);
        await run();
        assert.deepEqual(begun(), [`w1 ${step}`, `w1 ${step}`]);
    });

    it("keeps the codes of other failures: a machine that is off", async () => {
        await fleet.node("w1").powerOff();
        const target = { ...fleet.target("w1"), connectTimeoutSeconds: 3 };
        const off = tools({ machineOf: name => ({ name, connection: connections.to(target) }) });
        const error = await failure(runOnNode("w1", command, place(), off));
        assert.notEqual(error.code, "HOOK_FAILED");
        assert.equal(error.node, "w1");
    });

    it("runs on all nodes that fit, those of after at an end, with the script and the facts as secrets", async () => {
        folder.put({ "hook.sh": "#!/bin/sh\necho from the file\n" });
        const facts = scaleOut("end");
        const cluster = { ...facts.cluster, kubeconfig: "canary-kubeconfig" };
        await runScript(specOf({ nodes: { role: "worker" } }), { ...facts, cluster, attempt: 3 }, tools());
        assert.deepEqual(
            begun().sort(),
            ["w1", "w2", "w3"].map(name => `${name} ${step}`),
        );
        const [script] = scripts as [string];
        for (const part of ["echo from the file", "PULUMI_NFV_ADDED", "w2 w3", "scale_end"])
            assert.ok(script.includes(part), part);
        // No administrator's access on a worker's disk; another attempt is no other command.
        for (const part of ["canary-kubeconfig", "PULUMI_NFV_ATTEMPT"]) assert.ok(!script.includes(part), part);
    });

    it("runs on nodes of before at a start", async () => {
        folder.put({ "hook.sh": "#!/bin/sh\n" });
        await runScript(specOf({ nodes: { role: "worker" } }), scaleOut("start"), tools());
        assert.deepEqual(begun(), ["w1 hook.mgmt.scaleStart.1"]);
    });

    it("leaves out a node that cannot take part, and says so: what takes it out must not wait for it", async () => {
        folder.put({ "hook.sh": "#!/bin/sh\n" });
        const recording = tools({
            whyLeftOut: async name => (name === "w1" ? "it is lost" : undefined),
        }) as ReturnType<typeof toolsIn>;
        await runScript(specOf({ nodes: { pool: "workers", first: true } }), scaleOut("end"), recording);
        assert.deepEqual(begun(), [`w2 ${step}`]);
        assert.match(recording.warned.join(), /left out:\nw1: it is lost$/);
    });

    it("goes on on the other nodes when one fails, and then only where it failed", async () => {
        folder.put({ "hook.sh": "#!/bin/sh\n" });
        fleet.node("w2").agent.failStep(step, 1);
        const all = () => runScript(specOf({ nodes: { pool: "workers" } }), scaleOut("end"), tools());
        assert.equal((await failure(all())).node, "w2");
        assert.deepEqual(
            begun().sort(),
            ["w1", "w2", "w3"].map(name => `${name} ${step}`),
        );
        assert.deepEqual(await all(), {});
        assert.deepEqual(begun().slice(3), [`w2 ${step}`]);
    });

    it("says that no node fits", async () => {
        folder.put({ "hook.sh": "#!/bin/sh\n" });
        const recording = tools() as ReturnType<typeof toolsIn>;
        await runScript(specOf({ nodes: { pool: "none" } }), scaleOut("end"), recording);
        assert.match(recording.warned.join(), /no node of the cluster fits/);
    });

    it("is numbered for each node of a module's method, so that a later attempt goes on", async () => {
        folder.put({
            "driver.js": `let failures = 1;
                module.exports = { async scaleEnd({ run }) {
                    const said = await run("w1", { script: "one" });
                    await run("w2", { script: "one" });
                    if (failures-- > 0) throw new Error("between");
                    await run("w1", { script: "two" });
                    return { errorHandlingData: { said } };
                } };`,
        });
        const method = () =>
            runModule(specOf({ kind: "module", files: ["driver.js"] }), scaleOut("end"), () => {}, tools());
        assert.equal((await failure(method())).message, "between");
        await method();
        assert.deepEqual(begun(), [`w1 ${step}`, `w2 ${step}`, "w1 hook.mgmt.scaleEnd.2"]);
    });
});

function withOperation(change: Partial<HookFacts["operation"]>): HookFacts {
    const facts = scaleOut("end");
    return { ...facts, operation: { ...facts.operation, ...change } };
}
