import assert from "node:assert/strict";
import { unknownValue } from "../../../../../provider/common/unknown-value";
import { node } from "../../../../../provider/member/node";
import type { NodeInputs } from "../../../../../provider/member/node-state";
import { nodeSteps } from "../../../../../provider/member/node-steps";
import { soakPause, type UpgradeTurn } from "../../../../../provider/member/upgrade/upgrade-turn";
import { plan, stepTitles } from "../../../../../provider/steps";
import { endRun, listener } from "../../support/cluster";
import { threeMachines } from "../../support/three-machines";

describe("a worker that an upgrade holds back", () => {
    const { fleet, of, make } = threeMachines();
    const { milliseconds } = soakPause;
    before(() => {
        soakPause.milliseconds = 1;
    });
    after(() => {
        soakPause.milliseconds = milliseconds;
    });

    /** The program asks for 1.34.5; the operation's start has counted that change. */
    const wanted = (upgradeTurn: UpgradeTurn, name = "w1") => {
        const { node: inputs } = of(name);
        const spec = { ...inputs.spec, kubernetesVersion: "1.34.5" };
        const steps = stepTitles(plan(nodeSteps("join"), spec, inputs.fingerprintKey));
        return { ...inputs, spec, steps, upgradeTurn, changeNumber: 1 };
    };
    const kubelet = () => fleet().node("w1").agent.versions.kubelet;
    const made = async () => {
        await make("m1");
        const { node: worker } = await make("w1");
        await endRun();
        return worker;
    };

    it("stays at its version, says so in each preview, and changes nothing", async () => {
        const { id, outs } = await made();
        assert.deepEqual(node.check(of("w1").node, wanted({ holds: true }), listener()).notes, []);
        assert.match(
            node.diff(id, outs, wanted({ holds: true })).note!,
            /^stays at Kubernetes 1\.34\.4 for now, and moves to 1\.34\.5 when \S+ lets it$/,
        );
        const twice = { ...wanted({ holds: true }), changeNumber: 2 };
        assert.match(node.diff(id, outs, twice).note!, /^looks at the machine again[\s\S]*stays at Kubernetes/);
        const held = await node.update(id, outs, wanted({ holds: true }), listener());
        assert.equal(kubelet(), "1.34.4");
        assert.equal(held.outs.spec.kubernetesVersion, "1.34.4");
        const { changes, note } = node.diff(id, held.outs, wanted({ holds: true }));
        assert.equal(changes, false);
        assert.match(note!, /^stays at Kubernetes 1\.34\.4 for now, and moves to 1\.34\.5 when/);
    });

    it("is not said to stay when its machine is replaced: the engine asks about the inputs of before then", async () => {
        const { id, outs } = await made();
        const held = await node.update(id, outs, { ...wanted({ holds: true }), hostId: "h1" }, listener());
        for (const hostId of [undefined, unknownValue]) {
            const { note } = node.diff(id, held.outs, { ...wanted({ holds: true }), hostId } as NodeInputs);
            assert.equal(note, undefined);
        }
    });

    it("moves when the program lets it go, and preview says so", async () => {
        const { id, outs } = await made();
        const held = await node.update(id, outs, wanted({ holds: true }), listener());
        const { changes, note } = node.diff(id, held.outs, wanted({}));
        assert.equal(changes, true);
        assert.match(note!, /^upgrade in place: Kubernetes 1\.34\.4 to 1\.34\.5, after the control plane/);
        const moved = await node.update(id, held.outs, wanted({}), listener());
        assert.equal(kubelet(), "1.34.5");
        assert.equal(moved.outs.held, undefined);
        assert.equal(node.diff(id, moved.outs, wanted({})).note, undefined);
    });

    it("stays where the program goes back to the former version", async () => {
        const { id, outs } = await made();
        const held = await node.update(id, outs, wanted({ holds: true }), listener());
        const back = { ...of("w1").node, changeNumber: 2 };
        assert.equal(node.diff(id, held.outs, back).note?.includes("upgrade"), false);
        const { outs: after } = await node.update(id, held.outs, back, listener());
        assert.deepEqual([kubelet(), after.spec.kubernetesVersion], ["1.34.4", "1.34.4"]);
    });

    it("ends a move that a run has begun: half of it is no place to stay", async () => {
        const { id, outs } = await made();
        fleet().node("w1").agent.failStep("upgrade.kubelet");
        await assert.rejects(node.update(id, outs, wanted({}), listener()));
        await endRun();
        const { outs: after } = await node.update(id, outs, wanted({ holds: true }), listener());
        assert.deepEqual([kubelet(), after.spec.kubernetesVersion], ["1.34.5", "1.34.5"]);
    });

    it("has the new version from the start if it is a new one", async () => {
        await make("m1");
        const { host } = of("w1");
        const { id, outs } = await node.create(wanted({ holds: true }), listener());
        assert.ok(id.includes(host.spec.name));
        assert.equal(outs.spec.kubernetesVersion, "1.34.5");
    });

    it("is watched after its move; pods that do not serve by then stop those behind it, and another run goes on", async () => {
        const { id, outs } = await made();
        const answer = { stdout: "node True\npod shop/web-1 Running False\n" };
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-pods-on"] }, answer);
        await assert.rejects(node.update(id, outs, wanted({ soakSeconds: 1 }), listener()), {
            code: "UPGRADE_FAILED",
            message: /1 s after its move to 1\.34\.5 it does not serve: shop\/web-1/,
        });
        assert.equal(kubelet(), "1.34.5");
        await endRun();
        const { outs: after } = await node.update(id, outs, wanted({ soakSeconds: 1 }), listener());
        assert.equal(after.spec.kubernetesVersion, "1.34.5");
    });

    it("is watched by the next run for the whole time if a run was killed while it watched", async () => {
        const { id, outs } = await made();
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-pods-on"] }, { stdout: "node True\n" });
        const watched: string[] = [];
        const watching = (onWatch: () => void) => {
            const run = listener();
            const { report } = run;
            run.report = text => {
                if (/is watched/.test(text)) {
                    watched.push(text);
                    onWatch();
                }
                report(text);
            };
            return run;
        };
        const killed = new AbortController();
        const first = watching(() => killed.abort());
        first.signal = killed.signal;
        await assert.rejects(node.update(id, outs, wanted({ soakSeconds: 30 }), first), { name: "AbortError" });
        assert.equal(kubelet(), "1.34.5");
        await endRun();
        watched.length = 0;
        const { outs: after } = await node.update(
            id,
            outs,
            wanted({ soakSeconds: 1 }),
            watching(() => {}),
        );
        assert.match(watched[0]!, /for another 1 s before others move to 1\.34\.5/);
        await endRun();
        watched.length = 0;
        await node.update(
            id,
            after,
            wanted({ soakSeconds: 1 }),
            watching(() => {}),
        );
        await node.update(
            id,
            outs,
            wanted({ soakSeconds: 1 }),
            watching(() => {}),
        );
        assert.deepEqual(watched, [], "once is enough");
    });

    it("is watched, too, when it gets the version by a new server, and by the next run if a run was killed meanwhile", async () => {
        await make("m1");
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-pods-on"] }, { stdout: "node True\n" });
        const watched: string[] = [];
        const killed = new AbortController();
        const run = listener();
        const { report } = run;
        run.report = text => {
            if (/is watched/.test(text)) {
                watched.push(text);
                killed.abort();
            }
            report(text);
        };
        const onNewServer = (version: string) => ({
            ...wanted({ soakSeconds: 1 }),
            replacement: { image: "golden", flavor: "m1", former: { id: "s1", version } },
        });
        run.signal = killed.signal;
        await assert.rejects(node.create(onNewServer("1.34.4"), run), { name: "AbortError" });
        await endRun();
        const { former: _, ...left } = onNewServer("1.34.4").replacement;
        run.signal = undefined;
        watched.length = 0;
        await node.create({ ...wanted({ soakSeconds: 1 }), replacement: left }, run);
        assert.match(watched[0]!, /for another 1 s/);
        await endRun();
        watched.length = 0;
        await node.create({ ...wanted({ soakSeconds: 1 }), replacement: left }, run);
        assert.deepEqual(watched, [], "once is enough");
    });

    it("is not watched when its new server has the version that the former one had", async () => {
        await make("m1");
        const replacement = { image: "golden", flavor: "m1", former: { id: "s1", version: "1.34.5" } };
        const run = listener();
        await node.create({ ...wanted({ soakSeconds: 3600 }), replacement }, run);
    });
});
