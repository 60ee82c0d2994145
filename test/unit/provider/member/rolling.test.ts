import assert from "node:assert/strict";
import type { NfvError } from "../../../../provider/common/errors";
import { host } from "../../../../provider/host/host";
import { hostSteps } from "../../../../provider/host/host-steps";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { serveAgainTimeout } from "../../../../provider/member/rolling";
import { stepTitles } from "../../../../provider/steps";
import { plan } from "../../../../provider/steps/plan";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("a change that interrupts what runs on members", () => {
    const { fleet, of, make } = threeMachines({ durations: { "host.proxy": 0.2 } });
    const names = ["m1", "m2"];

    /** The inputs of a Host with another proxy: containerd and kubelet restart. */
    const withProxy = (name: string) => {
        const { host: inputs } = of(name);
        const spec = { ...inputs.spec, proxy: { httpProxy: "http://proxy:3128" } };
        return { ...inputs, spec, steps: stepTitles(plan(hostSteps, spec, inputs.fingerprintKey)) };
    };
    /** Both are changed at the same time, in any order. */
    const change = async (before = () => {}) => {
        const made = [await make("m1"), await make("m2")];
        fleet().events.length = 0;
        before();
        const ends = await Promise.allSettled(
            made.map(({ host: { id, outs } }, i) => host.update(id, outs, withProxy(names[i]!), listener())),
        );
        return ends.map(end => (end.status === "rejected" ? (end.reason as NfvError) : undefined));
    };
    const failuresOf = (ends: (NfvError | undefined)[]) => ends.filter(end => end !== undefined);
    const codesOf = (ends: (NfvError | undefined)[]) => failuresOf(ends).map(({ code }) => code);

    it("is made on one master after the other", async () => {
        assert.deepEqual(codesOf(await change()), []);
        const seen = fleet().events.filter(({ step }) => step === "host.proxy");
        const [first, second] = seen[0]!.node === "m1" ? ["m1", "m2"] : ["m2", "m1"];
        assert.deepEqual(
            seen.map(({ node, event }) => `${node} ${event}`),
            [`${first} begin`, `${first} end`, `${second} begin`, `${second} end`],
        );
    });

    it("is begun on no other master behind one that failed", async () => {
        const ends = await change(() => {
            for (const name of names) fleet().node(name).agent.failStep("host.proxy");
        });
        assert.deepEqual(codesOf(ends).sort(), ["ROLLING_STOPPED", "STEP_FAILED"]);
        const stopped = failuresOf(ends).find(({ code }) => code === "ROLLING_STOPPED")!;
        assert.match(
            stopped.message,
            /nothing was changed here, because another control-plane node failed before: m[12]: /,
        );
        assert.equal(fleet().begun().length, 1);
    });

    it("is begun on the next one only when the API server of the one before answers again", async () => {
        const { seconds } = serveAgainTimeout;
        serveAgainTimeout.seconds = 0.1;
        const { clusterId } = of("m1").host.spec;
        try {
            const ends = await change(() => {
                for (const name of names) {
                    const ready = () => (fleet().begun().includes(`${name} host.proxy`) ? "no" : "yes");
                    const noted = `noted=${clusterId} ${name}`;
                    fleet()
                        .node(name)
                        .on(machineStatusArgv, () => ({
                            stdout: `memberOf=${clusterId}\napiReady=${ready()}\n${noted}\n`,
                        }));
                }
            });
            assert.deepEqual(codesOf(ends).sort(), ["NO_CONTROL_PLANE", "ROLLING_STOPPED"]);
            assert.equal(fleet().begun().length, 1);
        } finally {
            serveAgainTimeout.seconds = seconds;
        }
    });
});
