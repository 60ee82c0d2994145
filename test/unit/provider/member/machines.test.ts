import assert from "node:assert/strict";
import { operationEndSteps } from "../../../../provider/cluster/operation-end";
import { hasUnknown, unknownValue } from "../../../../provider/contract/values";
import { host } from "../../../../provider/host/host";
import { connectTo } from "../../../../provider/machine/machine";
import { node } from "../../../../provider/member/node";
import { nodeSteps } from "../../../../provider/member/node-steps";
import { repositoryArgv } from "../../../../provider/node/kubernetes/kubernetes-packages";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { parseHostKey } from "../../../../provider/ssh";
import { plan, stepTitles } from "../../../../provider/steps";
import { unfinished } from "../../../../provider/steps/agent";
import { endRun, listener } from "../support/cluster";
import { failureOf, threeMachines } from "../support/three-machines";

describe("machines as resources", () => {
    const { fleet, identity, of, make } = threeMachines();

    it("becomes a cluster: the first master initialises, the others join", async () => {
        await make("m1");
        await make("m2");
        const { host: worker, node: member } = await make("w1");
        assert.match(fleet().node("m1").agent.scripts["cluster.join"], /kubeadm init/);
        assert.match(fleet().node("m2").agent.scripts["cluster.join"], /kubeadm join/);
        assert.match(fleet().node("w1").agent.scripts["cluster.join"], /kubeadm join/);
        assert.equal(worker.id, `${identity().clusterId}/w1`);
        assert.equal(member.outs.hostKey, fleet().node("w1").hostKey);
        assert.deepEqual(member.outs.pending, []);
        assert.equal(host.diff(worker.id, worker.outs, of("w1").host).changes, false);
        assert.equal(node.diff(member.id, member.outs, of("w1").node).changes, false);
    });

    it("is another Node each time it is made, by its id, as the end of an operation waits for it again", async () => {
        await make("m1");
        const { node: first } = await make("w1");
        const again = await node.create(of("w1").node, listener());
        assert.ok(first.id.startsWith(`${identity().clusterId}/w1/`), first.id);
        assert.notEqual(again.id, first.id);
        const { outs } = await node.update(first.id, first.outs, of("w1", { labels: { a: "b" } }).node, listener());
        const printOf = (w1: string) =>
            Object.values(
                stepTitles(
                    plan(
                        operationEndSteps,
                        { clusterId: outs.spec.clusterId, nodes: { w1: "1.34.4" }, nodeIds: { w1 } },
                        identity().fingerprintKey,
                    ),
                ),
            )[0];
        assert.notEqual(printOf(first.id), printOf(again.id));
    });

    it("changes only what differs: a label runs one step on one node", async () => {
        await make("m1");
        const { node: made } = await make("m2");
        const news = of("m2", { labels: { tier: "core" } }).node;
        const diff = node.diff(made.id, made.outs, news);
        assert.deepEqual([diff.changes, diff.replaces], [true, []]);
        const before = fleet().node("m2").commands.length;
        await node.update(made.id, made.outs, news, listener());
        const verbs = fleet()
            .node("m2")
            .commands.slice(before)
            .flatMap(call => (call.argv[1] === "run" ? call.argv[2] : []));
        assert.deepEqual(verbs, []);
        const recorded = fleet()
            .node("m2")
            .commands.slice(before)
            .filter(call => call.argv[1] === "done");
        assert.deepEqual(
            recorded.map(call => [call.argv[2], call.argv[3] === unfinished]),
            [
                ["node.labels", true],
                ["node.labels", false],
            ],
        );
    });

    it("keeps a resource whose creation failed midway, says what is still to do, and goes on from there", async () => {
        const { host: inputs } = of("w1");
        fleet().node("w1").agent.failStep("host.sysctls");
        const failure = await failureOf(host.create(inputs, listener()));
        assert.equal(failure.id, `${identity().clusterId}/w1`);
        assert.ok(Object.keys(failure.properties!.done).length > 0);
        assert.ok(failure.properties!.pending.includes("set kernel parameters"));
        assert.match(failure.reasons![0], /^step "set kernel parameters" failed: w1: /);
        const state = { ...inputs, ...failure.properties! };
        assert.equal(host.diff(failure.id!, state, inputs).changes, true);
        const begun = fleet().begun().length;
        const { outs } = await host.update(failure.id!, state, inputs, listener());
        assert.equal(fleet().begun()[begun], "w1 host.sysctls");
        assert.equal(host.diff(failure.id!, outs, inputs).changes, false);
        assert.equal(new Set(fleet().begun()).size, fleet().begun().length - 1, "only the failed step ran twice");
    });

    it("shows a change while a run that failed is not made up for, whatever its state says of the steps", async () => {
        const { host: madeHost, node: madeNode } = await make("m1");
        const { host: hostInputs, node: nodeInputs } = of("m1");
        const left = { pending: ["set kernel parameters"] };
        assert.equal(host.diff(madeHost.id, { ...madeHost.outs, ...left }, hostInputs).changes, true);
        assert.equal(node.diff(madeNode.id, { ...madeNode.outs, ...left }, nodeInputs).changes, true);
    });

    it("goes on from the node's journal when the operator died and the engine knows nothing", async () => {
        const { host: inputs } = of("w1");
        fleet().node("w1").agent.failStep("host.sysctls");
        await failureOf(host.create(inputs, listener()));
        const begun = fleet().begun().length;
        await host.create(inputs, listener());
        assert.equal(fleet().begun()[begun], "w1 host.sysctls");
    });

    it("is not kept when nothing was touched: unreachable, or another cluster's", async () => {
        fleet().node("w1").agent.belongsTo = { cluster: "other-1", node: "w1" };
        const foreign = await failureOf(host.create(of("w1").host, listener()));
        assert.equal(foreign.id, undefined);
        assert.match(foreign.message, /^w1: FOREIGN_NODE/);
        const inputs = of("m1").host;
        await fleet().node("m1").powerOff();
        const unreachable = await failureOf(host.create(inputs, listener()));
        assert.equal(unreachable.id, undefined);
        assert.match(unreachable.message, /^m1: connect: CONNECT_FAILED/);
    });

    it("names the node where a connection fails", async () => {
        const { node: inputs } = of("w1");
        await fleet().node("w1").powerOff();
        assert.match((await failureOf(node.create(inputs, listener()))).message, /^w1: connect: CONNECT_FAILED/);
    });

    it("asks for a new resource only where it is another machine or cluster", async () => {
        const { node: made } = await make("m1");
        const news = of("m1").node;
        for (const change of [
            { clusterId: "x" },
            { name: "m9" },
            { role: "worker" as const },
            { address: "10.0.0.9" },
        ]) {
            const diff = node.diff(made.id, made.outs, { ...news, spec: { ...news.spec, ...change } });
            assert.deepEqual([diff.replaces, diff.deleteBeforeReplace], [["spec"], true]);
        }
    });

    it("asks for a new host where the address is another: it is another machine, and the former one must be cleaned", async () => {
        const { host: made } = await make("m1");
        const news = of("m1").host;
        const masters = news.spec.masters.map(one => (one.name === "m1" ? { ...one, address: "10.99.0.99" } : one));
        const moved = { ...news, spec: { ...news.spec, address: "10.99.0.99", masters } };
        const diff = host.diff(made.id, made.outs, moved);
        assert.deepEqual([diff.replaces, diff.deleteBeforeReplace], [["spec"], true]);
        const all = masters.map(one => ({ ...one, address: "10.99.0.99" }));
        const nobodyStays = { ...moved, spec: { ...moved.spec, masters: all } };
        assert.throws(
            () => host.diff(made.id, made.outs, nobodyStays),
            /m1: INVALID_INPUT[\s\S]*all be other machines/,
        );
    });

    it("may have its address corrected where it was never made ready, also as the only master", async () => {
        const { host: inputs } = of("m1");
        const only = { ...inputs, spec: { ...inputs.spec, masters: inputs.spec.masters.slice(0, 1) } };
        fleet().node("m1").agent.failStep("host.sysctls");
        const { id, properties } = await failureOf(host.create(only, listener()));
        const masters = [{ name: "m1", address: "10.99.0.99" }];
        const corrected = { ...only, spec: { ...only.spec, address: "10.99.0.99", masters } };
        assert.deepEqual(host.diff(id!, properties as never, corrected).replaces, ["spec"]);
        const other = { ...only, spec: { ...only.spec, clusterId: "core-ffffffff" } };
        assert.throws(() => host.diff(id!, properties as never, other), /belongs to the cluster core-/);
    });

    it("is as ready where a refresh finds a step undone as it was before it", async () => {
        const { host: inputs } = of("m1");
        const only = { ...inputs, spec: { ...inputs.spec, masters: inputs.spec.masters.slice(0, 1) } };
        const { id, outs } = await host.create(only, listener());
        const { "host.sysctls": _, ...done } = outs.done;
        const masters = [{ name: "m1", address: "10.99.0.99" }];
        const moved = { ...only, spec: { ...only.spec, address: "10.99.0.99", masters } };
        assert.throws(() => host.diff(id, { ...outs, done }, moved), /m1 is the only master/);
    });

    it("updates when its own credentials change, not when those of its masters do", async () => {
        const { node: made } = await make("m1");
        const news = of("m1").node;
        const renewed = { ...news.connection, privateKey: "another" };
        assert.equal(node.diff(made.id, made.outs, { ...news, connection: renewed }).changes, true);
        const peers = news.controlPlane.map(peer => ({
            ...peer,
            connection: { ...peer.connection, privateKey: "x", hostKey: "y" },
        }));
        assert.equal(node.diff(made.id, made.outs, { ...news, controlPlane: peers }).changes, false);
        assert.equal(node.diff(made.id, made.outs, { ...news, controlPlane: peers.slice(1) }).changes, true);
    });

    describe("whose program gives a host key", () => {
        const programPath = "infrastructure.hosts.pools.workers.w1";
        const given = (hostKey: string) => {
            const { host: ofHost, node: ofNode } = of("w1");
            const connection = { ...ofHost.connection, hostKey };
            return { host: { ...ofHost, connection, programPath }, node: { ...ofNode, connection, programPath } };
        };

        it("that is the pinned one, as a key or a fingerprint, has nothing to do", async () => {
            await make("m1");
            const made = await make("w1");
            const { fingerprint } = parseHostKey(fleet().node("w1").hostKey);
            for (const hostKey of [fleet().node("w1").hostKey, fingerprint]) {
                const news = given(hostKey);
                assert.equal(host.diff(made.host.id, made.host.outs, news.host).changes, false);
                assert.equal(node.diff(made.node.id, made.node.outs, news.node).changes, false);
            }
        });

        it("that it does not show is refused, with the input and the key to put there", async () => {
            await make("m1");
            const made = await make("w1");
            const news = given(fleet().node("m1").hostKey);
            assert.equal(host.diff(made.host.id, made.host.outs, news.host).changes, true);
            assert.equal(node.diff(made.node.id, made.node.outs, news.node).changes, true);
            const seen = parseHostKey(fleet().node("w1").hostKey).fingerprint;
            for (const update of [
                host.update(made.host.id, made.host.outs, news.host, listener()),
                node.update(made.node.id, made.node.outs, news.node, listener()),
            ]) {
                const { message } = await failureOf(update);
                assert.match(message, /w1: connect: HOST_KEY_CHANGED/);
                assert.ok(message.includes(`set ${programPath}.ssh.hostKey to "${seen}" and run pulumi up`), message);
                assert.ok(!message.includes("--replace"), message);
            }
        });

        it("is held to the new one after its machine has got it", async () => {
            await make("m1");
            const made = await make("w1");
            await endRun();
            fleet().node("w1").changeHostKey();
            const { hostKey } = fleet().node("w1");
            const news = given(parseHostKey(hostKey).fingerprint);
            assert.equal(host.diff(made.host.id, made.host.outs, news.host).changes, true);
            const ofHost = await host.update(made.host.id, made.host.outs, news.host, listener());
            const ofNode = await node.update(made.node.id, made.node.outs, news.node, listener());
            assert.deepEqual([ofHost.outs.hostKey, ofNode.outs.hostKey], [hostKey, hostKey]);
            assert.equal(host.diff(made.host.id, ofHost.outs, news.host).changes, false);
            assert.equal(node.diff(made.node.id, ofNode.outs, news.node).changes, false);
        });

        it("and is a server of a cloud is not asked for it", async () => {
            const made = await make("m1");
            const { host: news } = of("m1");
            const hostKey = fleet().node("m2").hostKey;
            const server = { cloud: {} as never };
            const changed = { ...news, server, connection: { ...news.connection, hostKey } };
            assert.equal(host.diff(made.host.id, made.host.outs, changed).changes, false);
            const { message } = await failureOf(
                connectTo(listener(), { ...changed.connection }, {}, { server }).exec(["true"]),
            );
            assert.match(message, /gave the cloud's server its host key/);
        });
    });

    it("remembers another way to be drained, and runs no step for it", async () => {
        const { node: made } = await make("m1");
        const news = of("m1", { drain: { timeoutSeconds: 9, policy: "delete" } }).node;
        assert.deepEqual((({ changes, replaces }) => [changes, replaces])(node.diff(made.id, made.outs, news)), [
            true,
            [],
        ]);
        const begun = fleet().begun().length;
        const { outs } = await node.update(made.id, made.outs, news, listener());
        assert.deepEqual(outs.spec.drain, { timeoutSeconds: 9, policy: "delete" });
        assert.equal(fleet().begun().length, begun);
    });

    describe("asked for another Kubernetes version", () => {
        const versioned =
            (kubernetesVersion: string) =>
            <T extends { spec: object }>(inputs: T): T => ({
                ...inputs,
                spec: { ...inputs.spec, kubernetesVersion },
            });
        const newer = versioned("1.34.5");
        const jump = versioned("1.36.0");

        it("refuses what no cluster can do as a member of its cluster, at preview already", async () => {
            const { node: made } = await make("m1");
            const before = fleet().node("m1").commands.length;
            assert.throws(
                () => node.diff(made.id, made.outs, jump(of("m1").node)),
                /m1: INVALID_INPUT[\s\S]*from 1\.34\.4 to 1\.36\.0 skips a minor version[\s\S]*nothing was touched/,
            );
            assert.equal(fleet().node("m1").commands.length, before);
        });

        const isMember = () =>
            fleet()
                .node("m1")
                .on({ startsWith: ["sh", "-c"] }, ({ argv }) =>
                    argv[3] === "pulumi-nfv-staged" ? { stdout: "Kubernetes v1.34.4\n" } : { code: 127 },
                );

        it("refuses as a member's host an image that has another version, at preview and before anything is put there", async () => {
            const why = /kubelet on the machine is 1\.34\.4[\s\S]*Put kubelet, kubeadm and kubectl of 1\.34\.5/;
            const { host: made } = await make("m1");
            isMember();
            const begun = fleet().begun().length;
            const news = newer(of("m1").host);
            assert.equal(host.needsCheckInCloud!(of("m1").host, news), true);
            const { failures } = await host.checkInCloud!(of("m1").host, news, listener());
            assert.match(failures[0]!.reason, why);
            const failure = await failureOf(host.update(made.id, made.outs, news, listener()));
            assert.match(failure.message, why);
            assert.equal(failure.id, undefined, "the state stays as it was");
            assert.equal(fleet().begun().length, begun);
        });

        for (const kind of ["apt", "dnf"]) {
            it(`looks at preview whether the repository of ${kind} has the packages, as the machine sees it`, async () => {
                await make("m1");
                isMember();
                const inputs = newer(of("m1").host);
                const news = { ...inputs, spec: { ...inputs.spec, source: { [kind]: {} } } };
                const check = () => host.checkInCloud!(of("m1").host, news, listener());
                const answer = { code: 0, stdout: "", stderr: "" };
                fleet()
                    .node("m1")
                    .on({ startsWith: [...repositoryArgv] }, () => answer);
                assert.equal(host.needsCheckInCloud!(of("m1").host, news), true);
                assert.deepEqual((await check()).failures, []);
                const none = "the repository has no kubelet 1.34.5; it has 1.34.3 1.34.4 of it\n";
                Object.assign(answer, { code: exitCodes.VERSION_MISMATCH, stderr: none });
                assert.match(
                    (await check()).failures[0]!.reason,
                    /m1: INVALID_INPUT: kubernetes\.version 1\.34\.4 to 1\.34\.5: the repository has no kubelet 1\.34\.5; it has 1\.34\.3 1\.34\.4/,
                );
                // One that does not answer may answer later.
                Object.assign(answer, { code: 100 });
                assert.deepEqual((await check()).failures, []);
            });
        }

        it("asks no machine where a bundle is staged beside what runs", () => {
            const inputs = newer(of("m1").host);
            const news = { ...inputs, spec: { ...inputs.spec, source: { bundle: { path: "/bundle", files: [] } } } };
            assert.equal(host.needsCheckInCloud!(of("m1").host, news), false);
        });

        it("takes it where it never became a member: a mistake can be corrected", async () => {
            const { node: inputs } = of("m1");
            fleet().node("m1").agent.failStep("cluster.join");
            const failure = await failureOf(node.create(inputs, listener()));
            const state = { ...inputs, ...failure.properties! };
            assert.equal(node.diff(failure.id!, state, newer(inputs)).changes, true);
        });

        it("takes it as a node of another cluster", async () => {
            const { node: made } = await make("m1");
            const news = newer(of("m1").node);
            const other = { ...news, spec: { ...news.spec, clusterId: "other-1" } };
            assert.deepEqual(node.diff(made.id, made.outs, other).replaces, ["spec"]);
        });
    });

    it("bears values that are not known yet at preview", async () => {
        const { node: made } = await make("m1");
        const news = of("m1").node;
        const unknown = { ...news, spec: unknownValue as never, steps: unknownValue as never };
        assert.ok(hasUnknown(unknown));
        assert.deepEqual(node.check({}, unknown).failures, []);
        assert.equal(node.diff(made.id, made.outs, unknown).changes, true);
    });

    it("refuses inputs that cannot be, by name", () => {
        const news = of("m1").node;
        const failures = node.check({}, { ...news, controlPlane: [], spec: { ...news.spec, name: "" } }).failures!;
        assert.deepEqual(failures.map(failure => failure.property).sort(), ["controlPlane", "spec.name"]);
    });

    it("has the same fingerprints whether it initialises or joins", () => {
        const { spec, fingerprintKey } = of("m1").node;
        assert.deepEqual(
            stepTitles(plan(nodeSteps("init"), spec, fingerprintKey)),
            stepTitles(plan(nodeSteps("join"), spec, fingerprintKey)),
        );
    });
});
