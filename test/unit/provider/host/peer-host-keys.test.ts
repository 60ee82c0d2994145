import assert from "node:assert/strict";
import { serve } from "../../../../provider/adapters/serve";
import { RunSession } from "../../../../provider/common/run-session";
import type { Context } from "../../../../provider/contract/types";
import { host } from "../../../../provider/host/host";
import { expectRecordedKeys } from "../../../../provider/machine/machine";
import { node } from "../../../../provider/member/node";
import { Connections, placeOf } from "../../../../provider/ssh";
import { checkAs, endRun, listener, machine } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("a machine that is asked for the sake of another, where the program gives no host keys", () => {
    const { fleet, identity } = threeMachines({ nodes: ["m1", "w1"] });
    const target = (name: string) => {
        const { hostKey: _, ...login } = fleet().target(name);
        return { ...login, connectTimeoutSeconds: 3 };
    };
    const peers = (name: string) => [{ name, connection: target(name) }];
    const inputsOf = (name: string, role: "controlPlane" | "worker") =>
        machine(identity(), name, role, target(name), { m1: target("m1") });
    const make = async (name: string, role: "controlPlane" | "worker") => {
        const given = inputsOf(name, role);
        return { host: await host.create(given.host, listener()), node: await node.create(given.node, listener()) };
    };
    const silent = { report: () => {}, warn: () => {}, note: () => {} } as unknown as Parameters<typeof serve>[1];
    const made = async () => ({ m1: await make("m1", "controlPlane"), w1: await make("w1", "worker") });
    type Made = Awaited<ReturnType<typeof made>>;
    const programHasM1 = (run: Context) => {
        const inputs = { clusterId: identity().clusterId, peers: JSON.stringify(peers("m1")) };
        checkAs("Masters", inputs, inputs, run);
    };
    /** Another machine stands at m1's address: w1 must not leave by its word. */
    const refusesImpostor = async (begin: (run: Context, made: Made) => unknown) => {
        const all = await made();
        await endRun();
        fleet().node("m1").changeHostKey();
        const run = listener(new RunSession());
        try {
            programHasM1(run);
            await begin(run, all);
            const acts = fleet().node("w1").agent.acts.length;
            await assert.rejects(node.delete(all.w1.node.id, all.w1.node.outs, run), /m1 shows another host key/);
            assert.equal(fleet().node("w1").agent.acts.length, acts);
        } finally {
            await run.session.close();
        }
    };

    it("must show the key that its own resource has, when a program runs", () =>
        refusesImpostor((run, { m1: { host } }) => {
            serve(run.session, silent).diff(
                "Host",
                host.id,
                host.outs as never,
                inputsOf("m1", "controlPlane").host as never,
            );
        }));

    it("must show the key that its own resource has, when that goes in the same run", () =>
        refusesImpostor(async (run, { m1: { node } }) => {
            await assert.rejects(serve(run.session, silent).delete("Node", node.id, node.outs as never));
        }));

    it("may show another key if this run has recorded that one: its server was replaced meanwhile", async () => {
        const { m1, w1 } = await made();
        await endRun();
        fleet().node("m1").changeHostKey();
        const run = listener(new RunSession());
        try {
            programHasM1(run);
            run.session.part(Connections).expect({ [placeOf(target("m1"))]: fleet().node("m1").hostKey });
            expectRecordedKeys(run, m1.host.outs);
            await node.delete(w1.node.id, w1.node.outs, run);
        } finally {
            await run.session.close();
        }
    });
});
