import assert from "node:assert/strict";
import { rotationStateArgv } from "../../../../../provider/procedures/encryption-key/encryption-acts";
import {
    type EncryptionRotationInputs,
    encryptionRotation,
} from "../../../../../provider/procedures/encryption-key/encryption-rotation";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { FakeFleet } from "../../../../../testing";
import { checkAs, checked, endRun, listener } from "../../support/cluster";

describe("the rotation of a cluster's encryption key", () => {
    let fleet: FakeFleet;
    const clusterId = "core-12345678";
    const controlPlane = ["m1", "m2", "m3"];
    /** Names of the keys that a node has, by node. */
    let keys: Record<string, string>;
    let healthy: string;

    const inputs = (changes: Partial<EncryptionRotationInputs> = {}): EncryptionRotationInputs => ({
        ...{ clusterId, word: "one", madeFor: "one", key: { secret: "canary-key", name: "key-0123456789" } },
        peers: JSON.stringify(
            controlPlane.map(name => ({ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 3 } })),
        ),
        nodes: { m1: "gets it", m2: "gets it" },
        ...changes,
    });
    /** Check and what follows, as the engine calls them. */
    const create = (given = inputs()) => {
        const context = listener();
        const { inputs: stored, failures } = checkAs("EncryptionRotation", {}, given, context);
        assert.deepEqual(failures, []);
        return encryptionRotation.create(stored, context);
    };
    const preview = async (given = inputs()) =>
        (await encryptionRotation.checkInCloud!({}, given, listener())).failures.map(({ reason }) => reason).join("\n");
    /** What all do together stands in the order of their names. */
    const order = () => {
        const begun = fleet.events.filter(({ event }) => event === "begin").map(({ node, step }) => `${node} ${step}`);
        const isTogether = (each: string) => each.endsWith("-placed");
        return begun.map((each, i) => {
            if (!isTogether(each)) return each;
            let first = i;
            while (first > 0 && isTogether(begun[first - 1]!)) first--;
            let end = i;
            while (end < begun.length && isTogether(begun[end]!)) end++;
            return begun.slice(first, end).sort()[i - first]!;
        });
    };
    const stage = (name: string) =>
        ["-placed", ""].flatMap(how => controlPlane.map(node => `${node} node.encryption-key-${name}${how}`));
    /** The first node tries the file before the others get it. */
    const whole = [
        ...["m1 node.encryption-key-read-placed", "m1 node.encryption-key-read"],
        ...[...stage("read"), ...stage("write"), "m1 cluster.rewrite-secrets", ...stage("alone")],
    ];

    beforeEach(async () => {
        keys = {};
        healthy = "yes";
        fleet = await FakeFleet.start({ nodes: controlPlane });
        for (const name of controlPlane) {
            fleet.node(name).agent.belongsTo = { cluster: clusterId, node: name };
            fleet.node(name).agent.journal["cluster.join"] = "0123456789ab";
            fleet.node(name).onScript({});
            fleet.node(name).on(rotationStateArgv, () => ({
                stdout: `member=${clusterId}\nready=yes\nours=yes\nkeys=${keys[name] ?? "key1"}\netcd=${name === "m2" ? healthy : "yes"}\nmembers=m1 m2 m3\n`,
            }));
        }
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("is each stage on all control-plane nodes before the next one; they are waited for in turn", async () => {
        const { outs } = await create();
        assert.deepEqual(order(), whole);
        assert.equal(outs.rotated, "one");
        const { inputs: stored } = checkAs("EncryptionRotation", {}, inputs(), listener());
        for (const text of [JSON.stringify(outs), JSON.stringify(stored)])
            assert.doesNotMatch(text, /canary-key|privateKey/, "no key and no login is stored");
        for (const name of controlPlane) {
            const { journal } = fleet.node(name).agent;
            assert.deepEqual(Object.keys(journal), ["cluster.join"], "a later rotation finds no former one");
        }
    });

    it("is not refused beforehand for a node that this run heals, and goes on once that is well", async () => {
        healthy = "";
        assert.match(await preview(), /m2[\s\S]*its etcd is not healthy/);
        await endRun();
        const nodes = Object.fromEntries(controlPlane.map(name => [name, { role: "controlPlane" }]));
        const spec = { clusterId, nodes };
        const news = { resourceUrn: "urn::start", spec, heal: { run: "one", nodes: ["m2"], cure: "rejoin" } };
        checked(listener(), "OperationStart", news, { spec });
        assert.equal(await preview(), "");
        await assert.rejects(create(), /m2[\s\S]*its etcd is not healthy/);
        healthy = "yes";
        assert.equal((await create()).outs.rotated, "one");
    });

    it("does not remove the former key where one node or one Secret was left behind, and goes on with the next run", async () => {
        const output = "not now\n";
        fleet
            .node("m2")
            .agent.failStep("node.encryption-key-write", 1, { exitCode: exitCodes.ROTATION_FAILED, output });
        await assert.rejects(create(), /m2[\s\S]*ROTATION_FAILED[\s\S]*not now/);
        assert.deepEqual(order(), whole.slice(0, 13), "m3 is not waited for");
        fleet.node("m1").agent.failStep("cluster.rewrite-secrets", 1, { exitCode: exitCodes.ROTATION_FAILED, output });
        await assert.rejects(create(), /m1[\s\S]*ROTATION_FAILED/);
        assert.ok(!order().some(each => each.endsWith("alone")));
        await create();
        assert.deepEqual(order().slice(-whole.length), whole);
    });

    it("waits until the API servers use the new key alone, where a run was stopped behind the files", async () => {
        fleet.node("m1").agent.failStep("node.encryption-key-alone", 2, { exitCode: exitCodes.ROTATION_FAILED });
        await assert.rejects(create(), /m1[\s\S]*ROTATION_FAILED/);
        keys = Object.fromEntries(controlPlane.map(name => [name, "key-0123456789"]));
        const before = order().length;
        await assert.rejects(create(), /m1[\s\S]*ROTATION_FAILED/, "no success while it does not take them over");
        fleet.node("m1").agent.failStep("node.encryption-key-alone", 0);
        await create();
        assert.deepEqual(order().slice(before + 1), stage("alone").slice(controlPlane.length));
    });

    it("is once for each word, and only waits where all nodes have the new key alone", async () => {
        const { id, outs } = await create();
        assert.equal(encryptionRotation.diff(id, outs, inputs()).changes, false);
        const { changes, note } = encryptionRotation.diff(id, outs, inputs({ word: "two" }));
        const back = listener();
        const given = inputs({ key: { secret: "third", name: "key-9876543210" } });
        checkAs("EncryptionRotation", {}, given, back);
        assert.equal(encryptionRotation.diff(id, outs, given, back).changes, true, "ClusterKeys made another key");
        assert.deepEqual([changes, note], [true, "m1: gets it\nm2: gets it"]);
        const before = order().length;
        keys = Object.fromEntries(controlPlane.map(name => [name, "key-0123456789"]));
        await create();
        assert.deepEqual(order().slice(before), stage("alone").slice(controlPlane.length));
        await create(inputs({ key: { secret: "first" } }));
        assert.equal(order().length, before + controlPlane.length);
    });

    it("is refused before anything changes: a node is silent, etcd is not healthy, or the run has made no key", async () => {
        healthy = "";
        await assert.rejects(create(), /m2[\s\S]*its etcd is not healthy; nothing/);
        await assert.rejects(create(inputs({ madeFor: "" })), /no key for the word "one"[\s\S]*without --target/);
        assert.match(await preview(), /m2[\s\S]*its etcd is not healthy; nothing/);
        healthy = "yes";
        assert.equal(await preview(), "");
        await fleet.node("m3").powerOff();
        assert.match(await preview(), /m3[\s\S]*CONNECT_FAILED[\s\S]*All control-plane nodes must answer/);
        await assert.rejects(create(), /m3[\s\S]*CONNECT_FAILED[\s\S]*All control-plane nodes must answer/);
        assert.deepEqual(order(), []);
    });
});
