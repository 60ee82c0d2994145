import assert from "node:assert/strict";
import { runFacts } from "../../../../provider/contract/run-facts";
import { healthArgv } from "../../../../provider/health/look";
import { host } from "../../../../provider/host/host";
import { acceptedDrift, driftChanges, driftNote, driftOf, stepsToRepeat } from "../../../../provider/machine/drift";
import { node } from "../../../../provider/member/node";
import type { Observed as Seen } from "../../../../provider/steps/observe";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

const sysctls = "host.sysctls";
const runtime = "host.container-runtime-config";
const settings = "node.control-plane-settings";
const kubelet = "node.kubelet-settings";

describe("drift", () => {
    const seen: Seen = { state: "differs", lines: ["it differs"] };
    const noted = { a: { fingerprint: "1", title: "do a", seen } };
    const facts = { uptimeSeconds: 86_400, joined: true, disks: [], certificates: {}, pods: {} };

    it("is what differs of a step that the journal has as it was observed", () => {
        const found = { a: { title: "do a", fingerprint: "1", lines: ["it differs"] } };
        assert.deepEqual(driftOf({ facts, noted }, { a: "1" }), found);
        const none = [
            driftOf({ facts, noted }, { a: "2" }),
            driftOf({ facts, noted }, {}),
            driftOf({ facts: { ...facts, uptimeSeconds: 30 }, noted }, { a: "1" }),
            driftOf({ facts, noted: { a: { ...noted.a, seen: { state: "unknown", why: "?" } } } }, { a: "1" }),
        ];
        for (const each of none) assert.deepEqual(each, {});
    });

    it("stays known of a step that a killed run took out of the journal and did not do, also right after a boot", () => {
        const former = { a: { title: "do a", fingerprint: "1", lines: ["it differed"] } };
        assert.deepEqual(driftOf({ facts, noted }, {}, former), former);
        assert.deepEqual(driftOf({ facts: { ...facts, uptimeSeconds: 30 }, noted }, {}, former), former);
        assert.deepEqual(driftOf({ facts, noted: {} }, { a: "1" }, former), {}, "done again meanwhile");
    });

    it("is shown without what would act on a terminal, and a title is not longer than a line", () => {
        const title = `\x1b[2Jdo\r\x9b${"x".repeat(1000)}`;
        const hostile = { a: { ...noted.a, title, seen: { state: "differs" as const, lines: ["\x1b]0;owned\x07"] } } };
        const { a } = driftOf({ facts, noted: hostile }, { a: "1" });
        assert.equal(a!.title.length, 240);
        assert.match(a!.title, /^\?\[2Jdo\?\?x/);
        assert.deepEqual(a!.lines, ["?]0;owned?"]);
    });

    it("keeps the state small, however much differs", () => {
        const lines = Array.from({ length: 1000 }, (_, i) => `${i} ${"x".repeat(1000)}`);
        const many = { a: { ...noted.a, seen: { state: "differs" as const, lines } } };
        const { a } = driftOf({ facts, noted: many }, { a: "1" });
        assert.ok(JSON.stringify(a).length < 3000);
        assert.equal(a!.lines.at(-1), "and 992 more");
    });

    it("is a change unless it is accepted by name; what is accepted no more is one again", () => {
        const drift = { a: { title: "do a", fingerprint: "1", lines: ["it differs"], disruptive: "all ends" } };
        assert.equal(driftChanges({}, {}), false);
        assert.equal(driftChanges({ drift }, {}), true);
        assert.equal(driftChanges({ drift, acceptDrift: ["a"] }, { acceptDrift: ["a"] }), false);
        assert.equal(driftChanges({ drift, acceptDrift: ["a"] }, {}), true);
        assert.equal(driftNote("w1", {}, {}), undefined);
        assert.equal(
            driftNote("w1", { drift }, {}),
            "w1: still to do: put back what was changed: do a (it differs) [interrupts: all ends]",
        );
        assert.equal(driftNote("w1", { drift }, { steps: { "do a": "2" } }), undefined, "the step is done anyway");
        assert.match(driftNote("w1", { drift }, { acceptDrift: ["a"] })!, /^w1: accepted \(acceptDrift\): do a/);
        assert.deepEqual(acceptedDrift({ drift }, { acceptDrift: ["a"] }), { drift });
        assert.deepEqual(acceptedDrift({ drift }, {}), {});
    });

    it("is put back where it still is, or where a run that was killed had begun", () => {
        const drift = { a: { title: "do a", fingerprint: "1", lines: ["it differs"] } };
        assert.deepEqual(stepsToRepeat(drift, noted, { a: "1" }), ["a"]);
        assert.deepEqual(stepsToRepeat(drift, {}, {}), ["a"]);
        assert.deepEqual(stepsToRepeat(drift, {}, { a: "1" }), []);
        assert.deepEqual(stepsToRepeat(drift, { a: { ...noted.a, seen: { state: "same" } } }, { a: "1" }), []);
        assert.deepEqual(stepsToRepeat(drift, noted, { a: "2" }), []);
    });
});

describe("what a refresh finds changed on a machine", () => {
    const { fleet, of, make } = threeMachines({ durations: { [settings]: 0.2 }, probes: {} });
    type Made = Awaited<ReturnType<typeof make>>;
    const differ = (name: string, id: string, ...lines: string[]) => {
        fleet().node(name).agent.differs[id] = lines;
    };
    const refresh = async (made: Made) => {
        const context = listener();
        const seenHost = (await host.read(made.host.id, made.host.outs, context)).props!;
        const seenNode = (await node.read(made.node.id, made.node.outs, context)).props!;
        return { seenHost, seenNode, context };
    };

    it("is nothing on a machine that is as it was left, and costs no further round trip", async () => {
        await make("m1");
        const made = await make("w1");
        const { commands } = fleet().node("w1");
        commands.length = 0;
        const { seenHost, seenNode, context } = await refresh(made);
        assert.deepEqual([seenHost, seenNode], [made.host.outs, made.node.outs]);
        assert.deepEqual(context.warned, []);
        const looks = commands.filter(({ argv }) => healthArgv.every((word, i) => word === argv[i]));
        assert.equal(looks.length, 2, "one for the Host, one for the Node");
        assert.match(looks[0]!.stdin.toString(), /NOTES='\S+\/observations\/host \S+\/observations\/node'/);
        assert.ok(!commands.some(({ argv }) => argv[2] === "pulumi-nfv"), "no query of its own");
    });

    it("is told by the title of its step, put back by up and by this step alone, and gone then", async () => {
        await make("m1");
        const made = await make("w1");
        differ("w1", sysctls, "net.ipv4.ip_forward is 0, it was set to 1");
        const { seenHost, seenNode, context } = await refresh(made);
        const text = "set kernel parameters (net.ipv4.ip_forward is 0, it was set to 1)";
        assert.deepEqual(context.warned, [
            `w1: changed since the last pulumi up, and the next one puts it back: ${text}`,
        ]);
        assert.deepEqual(runFacts(context).seen.findings, [{ node: "w1", code: "drift", text, up: "puts it back" }]);
        const { host: inputs, node: nodeInputs } = of("w1");
        assert.equal(node.diff(made.node.id, seenNode, nodeInputs).changes, false);
        const { changes, replaces, note } = host.diff(made.host.id, seenHost, inputs);
        assert.deepEqual([changes, replaces, note], [true, [], `w1: still to do: put back what was changed: ${text}`]);
        fleet().events.length = 0;
        const { outs } = await host.update(made.host.id, seenHost, inputs, listener());
        assert.deepEqual(fleet().begun(), [`w1 ${sysctls}`]);
        assert.deepEqual([outs.done, outs.drift], [made.host.outs.done, undefined]);
        const again = await refresh({ ...made, host: { ...made.host, outs } });
        assert.deepEqual([again.seenHost.drift, again.context.warned], [undefined, []]);
    });

    it("is not touched where somebody has put it right by then", async () => {
        await make("m1");
        const made = await make("w1");
        differ("w1", runtime, "containerd.service does not run");
        const { seenHost } = await refresh(made);
        delete fleet().node("w1").agent.differs[runtime];
        fleet().events.length = 0;
        const { outs } = await host.update(made.host.id, seenHost, of("w1").host, listener());
        assert.deepEqual([fleet().begun(), outs.drift, outs.done], [[], undefined, made.host.outs.done]);
    });

    it("is done again by the next run where it failed", async () => {
        await make("m1");
        const made = await make("w1");
        differ("w1", sysctls, "changed");
        const { seenHost } = await refresh(made);
        fleet().node("w1").agent.failStep(sysctls);
        const failed: any = await host.update(made.host.id, seenHost, of("w1").host, listener()).catch(error => error);
        assert.ok(failed.properties.drift[sysctls]);
        fleet().events.length = 0;
        const { outs } = await host.update(made.host.id, failed.properties, of("w1").host, listener());
        assert.deepEqual([fleet().begun(), outs.drift], [[`w1 ${sysctls}`], undefined]);
    });

    it("is put back where a run was killed before its step, however often it is refreshed: its probe alone would say that it is done", async () => {
        await make("m1");
        const made = await make("w1");
        differ("w1", kubelet, "/var/lib/kubelet/config.yaml has changed");
        const { seenNode } = await refresh(made);
        // the run was killed here
        delete fleet().node("w1").agent.journal[kubelet];
        const again = await refresh({ ...made, node: { ...made.node, outs: seenNode } });
        assert.ok(again.seenNode.drift?.[kubelet], "it is still to be put back");
        const { commands } = fleet().node("w1");
        commands.length = 0;
        const { outs } = await node.update(made.node.id, again.seenNode, of("w1").node, listener());
        assert.deepEqual([outs.done, outs.drift], [made.node.outs.done, undefined]);
        assert.ok(commands.some(({ stdin }) => stdin.toString().includes("again=yes")));
    });

    it("is put back whole where kubelet does not run: what was changed may be why", async () => {
        await make("m1");
        const made = await make("w1");
        differ("w1", kubelet, "/var/lib/kubelet/config.yaml has changed");
        fleet().node("w1").agent.kubelet = "failed";
        const { seenNode, context } = await refresh(made);
        assert.ok(!context.warned.some(text => text.includes("changed since pulumi up")), "told once");
        assert.ok(seenNode.drift?.[kubelet]);
        const { commands } = fleet().node("w1");
        commands.length = 0;
        await node.update(made.node.id, seenNode, of("w1").node, listener());
        assert.ok(commands.some(({ stdin }) => stdin.toString().includes("again=yes")));
    });

    it("is put back on one control-plane node after the other where that interrupts", async () => {
        const made = { m1: await make("m1"), m2: await make("m2") };
        for (const name of ["m1", "m2"]) differ(name, settings, "/etc/kubernetes/manifests/etcd.yaml has changed");
        const seen = { m1: await refresh(made.m1), m2: await refresh(made.m2) };
        assert.match(seen.m1.context.warned[0]!, /\[interrupts: those static pods of this machine restart/);
        fleet().events.length = 0;
        await Promise.all(
            (["m1", "m2"] as const).map(name =>
                node.update(made[name].node.id, seen[name].seenNode, of(name).node, listener()),
            ),
        );
        const events = fleet().events.filter(({ step }) => step === settings);
        assert.deepEqual(
            events.map(({ event }) => event),
            ["begin", "end", "begin", "end"],
        );
    });

    it("stays where the program accepts it: a refresh says so, and up changes nothing on the machine", async () => {
        await make("m1");
        const made = await make("w1");
        differ("w1", sysctls, "changed");
        const inputs = { ...of("w1").host, acceptDrift: [sysctls] };
        const { seenHost } = await refresh(made);
        assert.equal(host.diff(made.host.id, seenHost, inputs).changes, true, "it is noted once");
        fleet().events.length = 0;
        const { outs } = await host.update(made.host.id, seenHost, inputs, listener());
        assert.deepEqual(fleet().begun(), []);
        assert.equal(host.diff(made.host.id, outs, inputs).changes, false);
        const again = await refresh({ ...made, host: { ...made.host, outs } });
        assert.deepEqual(again.context.warned, []);
        assert.equal(host.diff(made.host.id, again.seenHost, inputs).changes, false);
        assert.equal(host.diff(made.host.id, again.seenHost, of("w1").host).changes, true, "no more");
    });

    it("is no change with a state from before, on a machine without notes", async () => {
        await make("m1");
        const made = await make("w1");
        const { noted } = fleet().node("w1").agent;
        for (const id of Object.keys(noted)) delete noted[id];
        differ("w1", sysctls, "changed");
        const { seenHost, seenNode, context } = await refresh(made);
        assert.deepEqual([seenHost, seenNode, context.warned], [made.host.outs, made.node.outs, []]);
        assert.equal(host.diff(made.host.id, seenHost, of("w1").host).changes, false);
    });
});
