import assert from "node:assert/strict";
import { createAuthority, createClientCertificate, type KeyPair } from "../../../../provider/identity/certificates";
import { certificatesArgv } from "../../../../provider/kubeadm/certificate-query";
import { askedInputs, isUpToDate, packAsked, packState } from "../../../../provider/machine/stored-machine";
import { node } from "../../../../provider/member/node";
import type { NodeInputs } from "../../../../provider/member/node-state";
import { certificatesStep } from "../../../../provider/member/renew-certificates";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("certificates of nodes that end", () => {
    const { fleet, of, make } = threeMachines({ durations: { [certificatesStep]: 0.2 } });
    let authority: KeyPair;

    before(async () => {
        authority = await createAuthority("kubernetes", 3650);
    });

    /** From now on a master's certificate ends in this many days, a worker's likewise. */
    const endsIn = async (name: string, validDays: number) => {
        const made = await createClientCertificate(authority, { commonName: "c", organization: "o", validDays });
        const file = name.startsWith("m") ? "/etc/kubernetes/pki/apiserver.crt" : "/var/lib/kubelet/pki/kubelet.crt";
        fleet()
            .node(name)
            .on({ startsWith: [...certificatesArgv] }, { stdout: `== ${file}\n${made.certificate}` });
    };
    const isStoredAsDone = (outs: object, inputs: NodeInputs) => {
        const asked = packAsked(askedInputs("Node", inputs as unknown as Record<string, unknown>));
        return isUpToDate(packState(outs as Record<string, unknown>, asked), asked);
    };

    it("are in the state, so that a preview names them, why and where, without asking a machine", async () => {
        await endsIn("m1", 365);
        const fresh = await make("m1");
        const { node: inputs } = of("m1");
        assert.deepEqual(node.diff(fresh.node.id, fresh.node.outs, inputs), {
            changes: false,
            replaces: [],
            deleteBeforeReplace: true,
        });
        assert.equal(isStoredAsDone(fresh.node.outs, inputs), true);
        await endsIn("m1", 41.5);
        const seen = (await node.read(fresh.node.id, fresh.node.outs, listener())).props!;
        fleet().events.length = 0;
        const { changes, replaces, note } = node.diff(fresh.node.id, seen, inputs);
        assert.deepEqual([changes, replaces], [true, []]);
        assert.match(note!, /^m1: renew certificates: apiserver ends in 41 days \(\d{4}-\d\d-\d\d\)$/);
        assert.equal(isStoredAsDone(seen, inputs), false);
        assert.deepEqual(fleet().events, []);
    });

    it("are due by the program's threshold", async () => {
        await endsIn("m1", 41.5);
        const { node: made } = await make("m1");
        const { node: inputs } = of("m1");
        const within = (renewBeforeDays: number) => {
            const spec = { ...inputs.spec, certificates: { renewBeforeDays } };
            return node.diff(made.id, made.outs, { ...inputs, spec }).changes;
        };
        assert.deepEqual([within(41), within(42)], [false, true]);
    });

    it("are renewed by one step and nothing else; then nothing is left to do", async () => {
        await make("m1");
        await endsIn("w1", 20);
        const made = await make("w1");
        const { node: inputs } = of("w1");
        fleet().events.length = 0;
        await endsIn("w1", 365);
        const { outs } = await node.update(made.node.id, made.node.outs, inputs, listener());
        assert.deepEqual(fleet().begun(), [`w1 ${certificatesStep}`]);
        assert.deepEqual(outs.done, made.node.outs.done);
        assert.equal(node.diff(made.node.id, outs, inputs).changes, false);
        assert.equal(isStoredAsDone(outs, inputs), true);
    });

    it("of a machine that does not answer stay due: it is not fine", async () => {
        await endsIn("m1", 20);
        const { node: made } = await make("m1");
        const context = listener();
        await fleet().node("m1").powerOff();
        const { props } = await node.read(made.id, made.outs, context);
        assert.match(node.diff(made.id, props!, of("m1").node).note!, /apiserver ends in 19 days/);
    });

    it("are never renewed on two masters at once, and on no other master behind one that failed", async () => {
        for (const name of ["m1", "m2"]) await endsIn(name, 20);
        const made = [await make("m1"), await make("m2")];
        const renew = () =>
            Promise.allSettled(
                made.map(({ node: { id, outs } }, i) => node.update(id, outs, of(["m1", "m2"][i]!).node, listener())),
            );
        fleet().events.length = 0;
        assert.deepEqual(
            (await renew()).map(({ status }) => status),
            ["fulfilled", "fulfilled"],
        );
        const seen = fleet().events.filter(({ step }) => step === certificatesStep);
        const [first, second] = seen[0]!.node === "m1" ? ["m1", "m2"] : ["m2", "m1"];
        assert.deepEqual(
            seen.map(({ node: on, event }) => `${on} ${event}`),
            [`${first} begin`, `${first} end`, `${second} begin`, `${second} end`],
        );
        fleet().events.length = 0;
        for (const name of ["m1", "m2"]) fleet().node(name).agent.failStep(certificatesStep);
        const ends = (await renew()).map(end => (end.status === "rejected" ? end.reason.code : "")).sort();
        assert.deepEqual(ends, ["ROLLING_STOPPED", "STEP_FAILED"]);
        assert.equal(fleet().begun().length, 1);
    });
});
