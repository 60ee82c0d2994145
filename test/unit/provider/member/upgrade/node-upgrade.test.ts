import assert from "node:assert/strict";
import type { NfvError } from "../../../../../provider/common/errors";
import { node } from "../../../../../provider/member/node";
import { nodeSteps } from "../../../../../provider/member/node-steps";
import { plan, stepTitles } from "../../../../../provider/steps";
import { endRun, listener } from "../../support/cluster";
import { threeMachines } from "../../support/three-machines";

const ofMaster = [
    "m1 upgrade.note",
    "m1 upgrade.save-etcd",
    "m1 upgrade.control-plane",
    "node.drain for m1",
    "m1 upgrade.kubelet",
    "upgrade.back-in-service for m1",
    "m1 upgrade.end",
];
const ofWorker = [
    "w1 upgrade.note",
    "node.drain for w1",
    "w1 upgrade.kubelet",
    "upgrade.back-in-service for w1",
    "w1 upgrade.end",
];

describe("a node that moves to another version", () => {
    const { fleet, of, make } = threeMachines();

    const at = (name: string, kubernetesVersion: string) => {
        const { node: inputs } = of(name);
        const spec = { ...inputs.spec, kubernetesVersion };
        return { ...inputs, spec, steps: stepTitles(plan(nodeSteps("join"), spec, inputs.fingerprintKey)) };
    };
    /** Acts and the version's step since the last call: what is done on another machine for a node names only that node. */
    const seen = () => {
        const agents = ["m1", "m2", "w1"].map(name => [name, fleet().node(name).agent] as const);
        const acts = fleet()
            .events.filter(({ event, step }) => event === "begin" && /^(upgrade\.|node\.drain)/.test(step!))
            .map(({ node: name, step }) => ({ name, step: step! }));
        fleet().events.length = 0;
        const others = new Map(agents.flatMap(([, { acts: all }]) => all.map(act => [act.id, act.forNode] as const)));
        return acts.map(({ name, step }) => {
            const target = others.get(step);
            return target === undefined ? `${name} ${step}` : `${step} for ${target}`;
        });
    };
    const failure = async (work: Promise<unknown>): Promise<NfvError> => {
        try {
            await work;
        } catch (error) {
            return error as NfvError;
        }
        assert.fail("it should have failed");
    };
    /** Another run begins. */
    const clear = async () => {
        await endRun();
        for (const name of ["m1", "m2", "w1"]) fleet().node(name).agent.acts.length = 0;
        fleet().events.length = 0;
    };

    for (const [name, acts] of [
        ["m1", ofMaster],
        ["w1", ofWorker],
    ] as const) {
        it(`does so in this order on ${name}, and then records its version`, async () => {
            await make("m1");
            const { node: made } = await make(name);
            await clear();
            const news = at(name, "1.34.5");
            assert.equal(node.diff(made.id, made.outs, news).changes, true);
            const { outs } = await node.update(made.id, made.outs, news, listener());
            assert.deepEqual(seen(), acts);
            assert.equal(fleet().node(name).agent.versions.kubelet, "1.34.5");
            assert.equal(node.diff(made.id, outs, news).changes, false);
            await node.update(made.id, outs, news, listener());
            assert.deepEqual(seen(), []);
        });

        it(`goes on on ${name} after a failure of each of its acts; what is done is not drained again`, async () => {
            await make("m1");
            const { node: made } = await make(name);
            for (const act of acts.map(each => each.replace(/^[mw]1 /, "").replace(/ for .*/, ""))) {
                // The node itself, or the only control-plane node for it; never both do the same act.
                fleet()
                    .node(acts.includes(`${act} for ${name}`) ? "m1" : name)
                    .agent.failStep(act);
                await clear();
                const error = await failure(node.update(made.id, made.outs, at(name, "1.34.5"), listener()));
                assert.match(error.message, /versions now: m1 1\.34\.[45]/, act);
                assert.match(error.hint, /On: correct the cause.*Back: set kubernetes\.version to 1\.34\.4/, act);
                assert.equal((error as { properties?: object }).properties, undefined, "the state stays as it was");
            }
            await clear();
            const { outs } = await node.update(made.id, made.outs, at(name, "1.34.5"), listener());
            assert.ok(!seen().some(each => each.startsWith("node.drain")), "kubelet has the version already");
            assert.equal(node.diff(made.id, outs, at(name, "1.34.5")).changes, false);
            assert.equal(fleet().node(name).agent.versions.unfinished, undefined);
        });
    }

    it("goes back from a move that failed, and only from one that is not finished", async () => {
        const { node: made } = await make("m1");
        const { node: worker } = await make("w1");
        fleet().node("m1").agent.failStep("upgrade.kubelet");
        await failure(node.update(made.id, made.outs, at("m1", "1.34.5"), listener()));
        assert.equal(fleet().node("m1").agent.versions.servers, "1.34.5");
        await clear();
        const back = { ...at("m1", "1.34.4"), changeNumber: 2 };
        assert.equal(node.diff(made.id, made.outs, back).changes, true);
        const { outs } = await node.update(made.id, made.outs, back, listener());
        assert.equal(fleet().node("m1").agent.versions.servers, "1.34.4");
        assert.equal(fleet().node("m1").agent.versions.unfinished, undefined);
        const forward = await node.update(made.id, outs, at("m1", "1.34.5"), listener());
        await node.update(worker.id, worker.outs, at("w1", "1.34.5"), listener());
        await clear();
        const error = await failure(node.update(made.id, forward.outs, at("m1", "1.34.4"), listener()));
        assert.equal(error.code, "UPGRADE_REFUSED");
        assert.match(error.message, /1\.34\.4 is earlier/);
        assert.deepEqual(seen(), []);
    });

    it("refuses at preview what no cluster can do, and does not look for it", async () => {
        const { node: made } = await make("m1");
        for (const [version, why] of [
            ["1.36.0", /skips a minor/],
            ["1.33.9", /earlier minor/],
        ] as const) {
            assert.throws(() => node.diff(made.id, made.outs, at("m1", version)), why);
            assert.equal(node.needsCheckInCloud!(of("m1").node, at("m1", version)), false);
        }
    });

    it("says in preview what happens, and looks at the cluster once", async () => {
        await make("m1");
        await make("m2");
        await make("w1");
        const run = listener();
        const notes = (name: string) => node.check(of(name).node, at(name, "1.34.5"), run).notes!;
        assert.match(
            notes("m1").join(),
            /^upgrade in place: Kubernetes 1\.34\.4 to 1\.34\.5, first; drained within \d+ s/,
        );
        assert.match(notes("w1").join(), /after the control plane, workers one after another/);
        assert.deepEqual(node.check(of("m1").node, of("m1").node, run).notes, []);
        fleet()
            .node("m1")
            .on(
                { startsWith: ["sh", "-s", "pulumi-nfv-readiness"] },
                { stdout: "cluster 1.34.4\nnode w9 v1.34.4 False\n" },
            );
        fleet()
            .node("m2")
            .on(
                { startsWith: ["sh", "-s", "pulumi-nfv-readiness"] },
                { stdout: "cluster 1.34.4\nnode w9 v1.34.4 False\n" },
            );
        const first = await node.checkInCloud!(of("m1").node, at("m1", "1.34.5"), run);
        assert.match(first.failures[0]!.reason, /m1: UPGRADE_REFUSED: .*not Ready: w9.*Nothing was touched/);
        const second = await node.checkInCloud!(of("m2").node, at("m2", "1.34.5"), run);
        assert.deepEqual(second.failures, []);
    });

    it("minds no containerd at preview and in the run where another one comes from the bundle", async () => {
        const { node: made } = await make("m1");
        const stdout = "cluster 1.34.4\nnode m1 v1.34.4 True containerd://1.5.18\n";
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-readiness"] }, { stdout });
        await clear();
        const news = at("m1", "1.34.5");
        const { failures } = await node.checkInCloud!(of("m1").node, news, listener());
        assert.match(failures.map(({ reason }) => reason).join(), /its containerd is 1\.5\.18/);
        await clear();
        const spec = { ...news.spec, runtimeFromBundle: true as const };
        assert.deepEqual((await node.checkInCloud!(of("m1").node, { ...news, spec }, listener())).failures, []);
        await node.update(made.id, made.outs, { ...news, spec }, listener());
        assert.equal(fleet().node("m1").agent.versions.kubelet, "1.34.5");
    });

    it("goes on at preview past a master that a killed run left halfway, and past no other that is not Ready", async () => {
        await make("m1");
        await make("m2");
        for (const name of ["m1", "m2"]) {
            const stdout = "cluster 1.34.4\nnode m1 v1.34.4 True\nnode m2 v1.34.4 False\n";
            fleet()
                .node(name)
                .on({ startsWith: ["sh", "-s", "pulumi-nfv-readiness"] }, { stdout });
        }
        const look = async () => {
            await endRun();
            const { failures } = await node.checkInCloud!(of("m1").node, at("m1", "1.34.5"), listener());
            return failures.map(({ reason }) => reason).join();
        };
        assert.match(await look(), /not Ready: m2/);
        fleet().node("m2").agent.versions.unfinished = { from: "1.34.4", to: "1.34.5" };
        assert.equal(await look(), "");
    });

    it("refuses at preview and before any change a kubelet that does not start on a machine with cgroups of version 1", async () => {
        const { node: made } = await make("m1");
        const { agent } = fleet().node("m1");
        agent.versions.oldCgroups = "v1";
        const failures = async (version: string) => {
            await endRun();
            const found = await node.checkInCloud!(of("m1").node, at("m1", version), listener());
            return found.failures.map(({ reason }) => reason);
        };
        assert.match(
            (await failures("1.35.0")).join(),
            /m1: UPGRADE_REFUSED.*cgroups of version 1.*failCgroupV1: false/,
        );
        assert.deepEqual(await failures("1.34.5"), []);
        await clear();
        const error = await failure(node.update(made.id, made.outs, at("m1", "1.35.0"), listener()));
        assert.equal(error.code, "UPGRADE_REFUSED");
        assert.deepEqual(seen(), []);
        agent.versions.oldCgroups = "v1-allowed";
        assert.deepEqual(await failures("1.35.0"), []);
    });
});
