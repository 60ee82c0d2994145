import assert from "node:assert/strict";
import type { NfvError } from "../../../../provider/common/errors";
import { host } from "../../../../provider/host/host";
import type { HostInputs } from "../../../../provider/host/host-state";
import { hostSteps } from "../../../../provider/host/host-steps";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { node } from "../../../../provider/member/node";
import { stepTitles } from "../../../../provider/steps";
import { plan } from "../../../../provider/steps/plan";
import { mostAtOnce, stepIntervals } from "../../../integration/components/fleet-events";
import { endRun, listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

const workers = ["w1", "w2", "w3", "w4", "w5"];
const proxy = "host.proxy";

describe("a change that interrupts existing workers", () => {
    const { fleet, identity, of, make } = threeMachines({
        nodes: ["m1", "m2", ...workers],
        durations: (_node: string, step: string) => (step === proxy ? 0.2 : undefined),
    });

    /** The inputs of a Host with another proxy: containerd and kubelet restart. */
    const withProxy = (name: string, pool: HostInputs["pool"]): HostInputs => {
        const { host: inputs } = of(name);
        const spec = { ...inputs.spec, proxy: { httpProxy: "http://proxy:3128" } };
        return { ...inputs, pool, spec, steps: stepTitles(plan(hostSteps, spec, inputs.fingerprintKey)) };
    };
    const join = async (names: readonly string[]) => {
        await make("m1");
        const made = new Map<string, Awaited<ReturnType<typeof make>>>();
        for (const name of names) made.set(name, await make(name));
        fleet().events.length = 0;
        return made;
    };
    type Made = Awaited<ReturnType<typeof join>>;
    const change = (made: Made, name: string, pool: HostInputs["pool"], context = listener()) => {
        const { id, outs } = made.get(name)!.host;
        return host.update(id, outs, withProxy(name, pool), context);
    };
    const pool = (maxUnavailable: number, name = "edge") => ({ name, maxUnavailable });
    const interruptions = () => stepIntervals(fleet().events).filter(({ step }) => step === proxy);
    const errorsOf = (ends: PromiseSettledResult<unknown>[]) =>
        ends.flatMap(end => (end.status === "rejected" ? [end.reason as NfvError] : []));

    for (const count of [1, 2]) {
        it(`is made on ${count} of a pool at once if maxUnavailable is ${count}`, async () => {
            const made = await join(workers);
            const context = listener();
            await Promise.all(workers.map(name => change(made, name, pool(count), context)));
            assert.equal(interruptions().length, 5);
            assert.equal(mostAtOnce(interruptions()), count);
            const rule = count === 1 ? "one after another" : "at most 2 at once";
            assert.equal(context.said.filter(line => line.includes(rule)).length, 5 - count, context.said.join("\n"));
        });
    }

    it("does not wait for another pool", async () => {
        const made = await join(workers.slice(0, 2));
        await Promise.all([change(made, "w1", pool(1, "a")), change(made, "w2", pool(1, "b"))]);
        assert.equal(mostAtOnce(interruptions()), 2);
    });

    it("is no affair of new workers: they do not wait", async () => {
        const made = await join(["w1"]);
        const fresh = ["w2", "w3", "w4"];
        await Promise.all([
            change(made, "w1", pool(1)),
            ...fresh.map(name => host.create(withProxy(name, pool(1)), listener())),
        ]);
        assert.equal(mostAtOnce(interruptions().filter(each => fresh.includes(each.node))), 3);
    });

    it("is begun on no further worker of the pool after one failed; those that began end, another pool goes on", async () => {
        const made = await join(workers);
        fleet().node("w1").agent.failStep(proxy);
        const groups = { w1: "edge", w2: "edge", w3: "edge", w4: "edge", w5: "core" };
        const ends = await Promise.allSettled(
            Object.entries(groups).map(([name, group]) => change(made, name, pool(2, group))),
        );
        const errors = errorsOf(ends);
        const failed = errors.filter(({ code }) => code === "STEP_FAILED").map(each => each.node);
        const stopped = errors.filter(({ code }) => code === "ROLLING_STOPPED");
        assert.deepEqual(failed, ["w1"]);
        assert.ok(stopped.length >= 1 && stopped.length <= 2, String(stopped.length));
        for (const { message } of stopped) {
            assert.match(
                message,
                /nothing was changed here, because another worker of pool edge failed before: w1: .*STEP_FAILED/,
            );
            assert.match(message, /Correct the cause on w1, then run pulumi up again/);
        }
        const begun = interruptions().map(each => each.node);
        assert.equal(begun.length, 5 - stopped.length);
        assert.ok(begun.includes("w5"));
        // With --parallel 1 and --continue-on-error the engine comes with the next one only now.
        await assert.rejects(change(made, "w3", pool(2)), { code: "ROLLING_STOPPED" });
    });

    it("is made by the next run, though this one stopped", async () => {
        const made = await join(["w1"]);
        fleet().node("w1").agent.failStep(proxy);
        const failure = await change(made, "w1", pool(1)).catch(error => error);
        assert.equal(failure.code, "STEP_FAILED");
        await endRun();
        const { id } = made.get("w1")!.host;
        const { outs } = await host.update(id, failure.properties, withProxy("w1", pool(1)), listener());
        assert.deepEqual(outs.pending, []);
    });

    it("counts a worker that lost our notes while it is drained and joins again", async () => {
        const made = await join(["w1", "w2"]);
        const authority = Buffer.from(identity().caCertificate).toString("base64");
        const drained: string[] = [];
        for (const name of ["w1", "w2"]) {
            const machine = fleet().node(name);
            for (const id of Object.keys(machine.agent.journal)) delete machine.agent.journal[id];
            machine.agent.belongsTo = undefined;
            machine.on(machineStatusArgv, { stdout: `trace=/etc/kubernetes/kubelet.conf\nauthority=${authority}\n` });
            machine.onScript({});
        }
        fleet()
            .node("m1")
            .onScript(call => {
                if (call.stdin.includes("kubectl drain")) {
                    drained.push("drain");
                    return { code: 46, stderr: "pods are still there" };
                }
                return {};
            });
        const ends = await Promise.allSettled(
            ["w1", "w2"].map(name => {
                const { id, outs } = made.get(name)!.node;
                return node.update(id, outs, { ...of(name).node, pool: pool(1) }, listener());
            }),
        );
        const errors = errorsOf(ends);
        assert.equal(errors.length, 2);
        assert.equal(errors.filter(({ code }) => code === "ROLLING_STOPPED").length, 1);
        assert.deepEqual(drained, ["drain"]);
    });

    it("is not stored: neither inputs nor outputs have the pool, so another maxUnavailable alone is no change", async () => {
        const made = await join(["w1"]);
        const { outs } = await change(made, "w1", pool(3));
        assert.ok(!("pool" in outs));
        const { changes } = host.diff("w1", outs, withProxy("w1", pool(2)));
        assert.equal(changes, false);
    });
});
