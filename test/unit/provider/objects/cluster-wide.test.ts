import assert from "node:assert/strict";
import { type ClusterNetworkInputs, clusterNetwork, networkSteps } from "../../../../provider/cluster/cluster-network";
import { operationEnd, operationEndSteps } from "../../../../provider/cluster/operation-end";
import type { OperationEndInputs } from "../../../../provider/cluster/operation-end-inputs";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { plan, stepTitles } from "../../../../provider/steps";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { plainTenants } from "../sample-specs";
import { endRun, listener, machine, testIdentity } from "../support/cluster";
import { failureOf } from "../support/three-machines";

describe("what concerns the whole cluster", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const controlPlane = () => ["m1", "m2"].map(name => ({ name, connection: target(name) }));

    const network = (podCidr = "10.244.0.0/16"): ClusterNetworkInputs => {
        const { clusterId, fingerprintKey } = identity;
        const spec = {
            clusterId,
            cni: "bridge" as const,
            podCidr,
            kubectlPath: "/usr/bin/kubectl",
            tenants: plainTenants,
        };
        const steps = stepTitles(plan(networkSteps, spec, fingerprintKey));
        return { spec, controlPlane: controlPlane(), fingerprintKey, steps };
    };
    const end = (nodes: string[], waitForNodes = true): OperationEndInputs => {
        const { clusterId, fingerprintKey } = identity;
        const versions = Object.fromEntries(nodes.map(name => [name, "1.34.4"]));
        const nodeIds = Object.fromEntries(nodes.map(name => [name, `${name}-id`]));
        const spec = { clusterId, nodes: versions, nodeIds, waitForNodes };
        const steps = stepTitles(plan(operationEndSteps, spec, fingerprintKey));
        return { spec, controlPlane: controlPlane(), fingerprintKey, steps };
    };
    const join = async (name: string) => {
        const masters = { m1: target("m1"), m2: target("m2") };
        const inputs = machine(identity, name, "controlPlane", target(name), masters);
        await host.create(inputs.host, listener());
        await node.create(inputs.node, listener());
    };
    const runs = (id: string) => fleet.begun().filter(line => line.endsWith(` ${id}`));

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "m2"] });
        await join("m1");
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    describe("the pod network", () => {
        it("is applied once, on a living master, and again when it changes", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            assert.deepEqual(runs("cluster.network"), ["m1 cluster.network"]);
            assert.equal(clusterNetwork.diff(id, outs, network()).changes, false);
            const news = network("10.245.0.0/16");
            assert.equal(clusterNetwork.diff(id, outs, news).changes, true);
            await clusterNetwork.update(id, outs, news, listener());
            assert.equal(runs("cluster.network").length, 2);
        });

        it("is found missing by a refresh, and then applied again", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            assert.deepEqual((await clusterNetwork.read(id, outs, listener())).props, outs);
            fleet
                .node("m1")
                .on({ startsWith: ["sh", "-s", "pulumi-nfv"] }, call =>
                    call.stdin.includes("get -f -") ? { stdout: "daemonsets podnet (NotFound)\n" } : {},
                );
            const { props } = await clusterNetwork.read(id, outs, listener());
            assert.deepEqual(props!.done, {});
            assert.equal(clusterNetwork.diff(id, props!, network()).changes, true);
            const updated = await clusterNetwork.update(id, props!, network(), listener());
            assert.equal(runs("cluster.network").length, 2, "whatever the journal says");
            assert.deepEqual(updated.outs.done, outs.done);
        });

        it("is applied again where a run was lost on its way to another one, also by another master", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            await join("m2");
            fleet.node("m1").agent.failStep("cluster.network");
            const failure = await failureOf(clusterNetwork.update(id, outs, network("10.245.0.0/16"), listener()));
            const state = { ...outs, ...failure.properties! };
            assert.equal(clusterNetwork.diff(id, state, network()).changes, true);
            await fleet.node("m1").powerOff();
            const { outs: again } = await clusterNetwork.update(id, state, network(), listener());
            assert.deepEqual(
                runs("cluster.network"),
                [..."112"].map(n => `m${n} cluster.network`),
            );
            assert.equal(clusterNetwork.diff(id, again, network()).changes, false);
        });

        it("is applied again where the program goes back and the master whose journal has that was away meanwhile", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            await join("m2");
            await fleet.node("m1").powerOff();
            const { outs: other } = await clusterNetwork.update(id, outs, network("10.245.0.0/16"), listener());
            await fleet.node("m1").powerOn();
            const { outs: back } = await clusterNetwork.update(id, other, network(), listener());
            assert.deepEqual(
                runs("cluster.network"),
                [..."121"].map(n => `m${n} cluster.network`),
            );
            assert.equal(clusterNetwork.diff(id, back, network()).changes, false);
        });

        it("is applied by a create whatever a journal says: the state that knew it is lost", async () => {
            await clusterNetwork.create(network(), listener());
            await clusterNetwork.create(network(), listener());
            assert.equal(runs("cluster.network").length, 2);
        });

        it("is applied again where a killed run is taken back: state and journal show nothing, the number does", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            await join("m2");
            // The engine is killed before it records the result.
            await clusterNetwork.update(id, outs, { ...network("10.245.0.0/16"), changeNumber: 1 }, listener());
            const back = { ...network(), changeNumber: 2 };
            const diff = clusterNetwork.diff(id, outs, back);
            assert.deepEqual([diff.changes, diff.replaces], [true, []]);
            assert.match(diff.note!, /applies it again/);
            const { outs: again } = await clusterNetwork.update(id, outs, back, listener());
            assert.equal(runs("cluster.network").length, 3);
            assert.equal(clusterNetwork.diff(id, again, back).changes, false);
        });

        it("is taken back by another master, too, whose journal has what it was before the killed run", async () => {
            const { id, outs: first } = await clusterNetwork.create(network("10.245.0.0/16"), listener());
            await join("m2");
            await fleet.node("m1").powerOff();
            const { outs } = await clusterNetwork.update(id, first, { ...network(), changeNumber: 1 }, listener());
            await fleet.node("m1").powerOn();
            await clusterNetwork.update(id, outs, { ...network("10.245.0.0/16"), changeNumber: 2 }, listener());
            await fleet.node("m1").powerOff();
            await clusterNetwork.update(id, outs, { ...network(), changeNumber: 3 }, listener());
            assert.deepEqual(
                runs("cluster.network"),
                [..."1212"].map(n => `m${n} cluster.network`),
            );
        });

        it("runs only what differs after one change: its number says that nothing else can have been in between", async () => {
            const inputs = (change: object) => {
                const { spec, ...others } = network();
                const changed = { ...spec, virtualAddress: "10.0.0.100", ...change };
                return {
                    ...others,
                    spec: changed,
                    steps: stepTitles(plan(networkSteps, changed, others.fingerprintKey)),
                };
            };
            const { id, outs } = await clusterNetwork.create(inputs({}), listener());
            const news = { ...inputs({ virtualAddress: "10.0.0.101" }), changeNumber: 1 };
            await clusterNetwork.update(id, outs, news, listener());
            assert.deepEqual([runs("cluster.network").length, runs("cluster.virtual-address").length], [1, 2]);
        });

        it("is kept by a refresh, with a warning, when no master answers", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            await fleet.node("m1").powerOff();
            await fleet.node("m2").powerOff();
            const context = listener();
            assert.deepEqual((await clusterNetwork.read(id, outs, context)).props, outs);
            assert.match(context.warned[0], /kept as it was: m1: /);
        });

        it("cannot be applied where no master lives, and says of each why", async () => {
            await fleet.node("m1").powerOff();
            await assert.rejects(clusterNetwork.create(network(), listener()), (error: Error) => {
                assert.match(error.message, /NO_CONTROL_PLANE/);
                assert.match(error.message, /m1: /);
                assert.match(error.message, /m2: is a member of no cluster yet/);
                return true;
            });
        });

        it("goes with the cluster: its removal only forgets, and bears that nobody is there", async () => {
            const { id, outs } = await clusterNetwork.create(network(), listener());
            await clusterNetwork.delete(id, outs, listener());
            assert.equal(fleet.node("m1").agent.journal["cluster.network"], undefined);
            await fleet.node("m1").powerOff();
            const context = listener();
            await clusterNetwork.delete(id, outs, context);
            assert.match(context.warned[0], /nothing was undone on the masters/);
        });
    });

    describe("the end of an operation", () => {
        it("is part of a destroy without asking any machine: a dead cluster goes as fast as a living one", async () => {
            const { id, outs } = await operationEnd.create(end(["m1"]), listener());
            await fleet.node("m1").powerOff();
            const context = listener();
            await operationEnd.delete(id, outs, context);
            assert.deepEqual([context.said, context.warned], [[], []]);
            assert.deepEqual(context.noted, ["operation: terminate (m1)"]);
        });

        it("waits for exactly the nodes that shall be, again when one comes", async () => {
            const { id, outs } = await operationEnd.create(end(["m1"]), listener());
            assert.match(fleet.node("m1").agent.scripts["cluster.nodes-ready"], /NODES='?m1'?\n/);
            assert.equal(operationEnd.diff(id, outs, end(["m1"])).changes, false);
            assert.equal(operationEnd.diff(id, outs, end(["m1", "w1"])).changes, true);
            await operationEnd.update(id, outs, end(["m1", "w1"]), listener());
            assert.equal(runs("cluster.nodes-ready").length, 2);
        });

        it("waits again for nodes that left and came back, although the journal has that end", async () => {
            const { id, outs } = await operationEnd.create(end(["m1", "w1"]), listener());
            await join("m2");
            await fleet.node("m1").powerOff();
            const { outs: fewer } = await operationEnd.update(id, outs, end(["m1"]), listener());
            await fleet.node("m1").powerOn();
            await operationEnd.update(id, fewer, end(["m1", "w1"]), listener());
            assert.deepEqual(
                runs("cluster.nodes-ready"),
                [..."121"].map(n => `m${n} cluster.nodes-ready`),
            );
        });

        it("does nothing where no network makes nodes ready", async () => {
            const { outs } = await operationEnd.create(end(["m1"], false), listener());
            assert.deepEqual(outs.done, {});
            assert.deepEqual(runs("cluster.nodes-ready"), []);
        });

        it("keeps what a failure left to do, with the reason of the node that is not ready", async () => {
            const output = "w1 is not Ready: KubeletNotReady: cni plugin not initialized\n";
            fleet.node("m1").agent.failStep("cluster.nodes-ready", 1, { exitCode: 1, output });
            const failure = await operationEnd.create(end(["m1", "w1"]), listener()).then(
                () => assert.fail("it should have failed"),
                error => error,
            );
            assert.match(failure.message, /w1 is not Ready: KubeletNotReady: cni plugin not initialized/);
            assert.deepEqual(failure.properties.pending, ["wait for the nodes", "spread CoreDNS over the nodes"]);
            const state = { ...end(["m1", "w1"]), ...failure.properties };
            const { outs } = await operationEnd.update(failure.id, state, end(["m1", "w1"]), listener());
            assert.deepEqual(outs.pending, []);
        });

        it("runs all of it again on another master where a failed run was taken back: that one's journal knows nothing of it", async () => {
            await join("m2");
            const { id, outs } = await operationEnd.create(end(["m1"]), listener());
            const state = { ...outs, pending: ["a step of the change that was taken back"] };
            assert.equal(operationEnd.diff(id, state, end(["m1"])).changes, true);
            const before = runs("cluster.nodes-ready").length;
            await fleet.node("m1").powerOff();
            await operationEnd.update(id, state, end(["m1"]), listener());
            assert.equal(runs("cluster.nodes-ready").length, before + 1);
        });
    });
});
