import assert from "node:assert/strict";
import { healthArgv } from "../../../../provider/health/look";
import { printedJournalArgv } from "../../../../provider/steps/print-journal";
import { checkStack } from "../../../../tools/check/check-stack";
import type { StateResource } from "../../../../tools/check/stack-state";
import { usualLimits, verdictOn } from "../../../../tools/check/verdict";
import { threeMachines } from "../../provider/support/three-machines";

describe("what nfv check finds", () => {
    const { fleet, make } = threeMachines();
    type Made = Awaited<ReturnType<typeof make>>;

    const resource = (type: string, name: string, id: string, outputs: object): StateResource => ({
        urn: `urn:pulumi:dev::p::pulumi-nodejs:dynamic/nfv:${type}::core-${name}`,
        type,
        id,
        outputs: outputs as Record<string, unknown>,
    });
    const ofMachine = (name: string, made: Made): StateResource[] => [
        resource("Host", name, made.host.id, made.host.outs),
        resource("Node", name, made.node.id, made.node.outs),
    ];
    const check = async (...resources: StateResource[]) => {
        const checked = await checkStack(resources);
        return { ...checked, verdict: verdictOn(checked.found, checked.nodes, usualLimits) };
    };
    const isWell = (...names: string[]) => {
        const facts = { uptime: "86400", joined: "yes", kubelet: "active", runtime: "active", runtimeAnswers: "yes" };
        const stdout = Object.entries(facts).map(([key, value]) => `${key}=${value}\n`);
        for (const name of names)
            fleet()
                .node(name)
                .on({ startsWith: [...healthArgv] }, { stdout: stdout.join("") });
    };

    it("is nothing on machines that are well", async () => {
        const made = [ofMachine("m1", await make("m1")), ofMachine("w1", await make("w1"))];
        isWell("m1", "w1");
        const { found, remarks, verdict } = await check(...made.flat());
        assert.deepEqual([found, remarks, verdict.name], [[], [], "healthy"]);
    });

    it("is never health where a machine refuses the login", async () => {
        const m1 = ofMachine("m1", await make("m1"));
        const made = await make("w1");
        isWell("m1", "w1");
        const connection = { ...made.host.outs.connection, privateKey: undefined, password: "wrong" };
        const closed = {
            host: { ...made.host, outs: { ...made.host.outs, connection } },
            node: { ...made.node, outs: { ...made.node.outs, connection } },
        } as Made;
        const { found, verdict } = await check(...m1, ...ofMachine("w1", closed));
        assert.deepEqual([verdict.name, found.map(({ node, code }) => `${node} ${code}`)], ["unknown", ["w1 unknown"]]);
    });

    it("is never health where a machine does not say how it is, or no control-plane node answers", async () => {
        const m1 = ofMachine("m1", await make("m1"));
        const w1 = ofMachine("w1", await make("w1"));
        isWell("m1");
        fleet()
            .node("w1")
            .on({ startsWith: [...healthArgv] }, { code: 1, stderr: "no shell" });
        assert.equal((await check(...m1, ...w1)).verdict.name, "unknown");
        isWell("w1");
        await fleet().node("m1").powerOff();
        const { found } = await check(...w1);
        assert.match(found.map(({ node, text }) => `${node}: ${text}`).join(), /^w1: whether the cluster knows/);
    });

    it("counts a machine once, by its node's name, whatever its resources are called", async () => {
        const made = await make("m1");
        isWell("m1");
        fleet()
            .node("m1")
            .on({ startsWith: [...printedJournalArgv] }, { stdout: "of other-1a2b3c4d m1\n" });
        const { found, verdict } = await check(...ofMachine("m1", made));
        assert.deepEqual([[...new Set(found.map(({ node }) => node))], verdict.exitCode], [["m1"], 20]);
    });

    it("is what up does again, also where no finding says so", async () => {
        const made = await make("m1");
        isWell("m1");
        const done = { ...made.host.outs.done, "host.of-a-former-run": "0123456789ab" };
        const changed = { ...made, host: { ...made.host, outs: { ...made.host.outs, done } } };
        const { found, verdict } = await check(...ofMachine("m1", changed));
        assert.deepEqual(
            [found.map(({ node, code, text }) => [node, code, text]), verdict.name],
            [[["m1", "changed", "not done on the machine any more: host.of-a-former-run"]], "heal"],
        );
    });

    it("is what a run that failed has left to do", async () => {
        const made = await make("m1");
        isWell("m1");
        const outs = { ...made.node.outs, pending: ["set labels and taints"] };
        const { found, verdict } = await check(...ofMachine("m1", { ...made, node: { ...made.node, outs } }));
        assert.deepEqual(
            [found.map(({ node, text }) => `${node}: ${text}`), verdict.name],
            [["m1: still to do: set labels and taints"], "heal"],
        );
    });

    it("counts machines that a run that failed has not made members", async () => {
        const m1 = ofMachine("m1", await make("m1"));
        const { host } = await make("w1");
        isWell("m1", "w1");
        const { nodes } = await check(...m1, resource("Host", "w1", host.id, host.outs));
        assert.equal(nodes, 2);
    });

    it("refuses a stack that has nothing to look at", async () => {
        await assert.rejects(check(), /INVALID_INPUT[\s\S]*no machines/);
    });
});
