import assert from "node:assert/strict";
import { serviceAccountStateArgv } from "../../../../../provider/procedures/service-account-key/service-account-acts";
import {
    type ServiceAccountRotationInputs,
    type ServiceAccountRotationState,
    serviceAccountRotation,
} from "../../../../../provider/procedures/service-account-key/service-account-rotation";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { signingKeysOf } from "../../../../../provider/vim/signing-keys";
import { FakeFleet } from "../../../../../testing";
import { checkAs, endRun, listener } from "../../support/cluster";

describe("the rotation of a cluster's service-account key", () => {
    let fleet: FakeFleet;
    const clusterId = "core-12345678";
    const masters = ["m1", "m2", "m3"];
    /** What a node says of its keys. */
    let keys: string;
    let healthy: string;

    const inputs = (changes: Partial<ServiceAccountRotationInputs> = {}): ServiceAccountRotationInputs => ({
        ...{ clusterId, word: "one", madeFor: "one", graceHours: 24 },
        key: { secret: "canary-key", public: "its public half", name: "new" },
        peers: JSON.stringify(
            masters.map(name => ({ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 3 } })),
        ),
        nodes: { m1: "restarts", m2: "restarts" },
        ...changes,
    });
    /** Check and what follows, as the engine calls them. */
    const apply = (given = inputs(), olds?: ServiceAccountRotationState) => {
        const context = listener();
        const { inputs: stored, failures } = checkAs("ServiceAccountRotation", {}, given, context);
        assert.deepEqual(failures, []);
        return olds === undefined
            ? serviceAccountRotation.create(stored, context)
            : serviceAccountRotation.update!("id", olds, stored, context);
    };
    const changes = (olds: ServiceAccountRotationState, given = inputs()) => {
        const context = listener();
        checkAs("ServiceAccountRotation", {}, given, context);
        return serviceAccountRotation.diff("id", olds, given, context);
    };
    const order = () =>
        fleet.events.filter(({ event }) => event === "begin").map(({ node, step }) => `${node} ${step}`);
    const stage = (name: string) => masters.map(node => `${node} node.service-account-key-${name}`);
    const renew = "m1 cluster.renew-token-secrets";
    const signed = [...stage("known"), ...stage("sign")];
    const ended = [renew, ...stage("alone")];
    /** Which key stays beside the new one, as each node was told; "": all. */
    const kept = () =>
        masters.map(name => {
            const text = fleet.node(name).agent.scripts["node.service-account-key-known"] ?? "";
            return /^FORMER_KEY='?([^'\n]*)'?$/m.exec(text)?.[1];
        });
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

    beforeEach(async () => {
        keys = "keys=old\nsigns=old";
        healthy = "yes";
        fleet = await FakeFleet.start({ nodes: masters });
        for (const name of masters) {
            fleet.node(name).agent.belongsTo = { cluster: clusterId, node: name };
            fleet.node(name).agent.journal["cluster.join"] = "0123456789ab";
            fleet.node(name).onScript({});
            fleet.node(name).on(serviceAccountStateArgv, () => ({
                stdout: `member=${clusterId}\nready=yes\nours=yes\n${keys}\netcd=${name === "m2" ? healthy : "yes"}\nmembers=m1 m2 m3\n`,
            }));
        }
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("makes the new key known on all control-plane nodes before one signs with it, and ends no token", async () => {
        const { outs } = await apply();
        assert.deepEqual(order(), signed);
        assert.deepEqual([outs.rotated, outs.keyName, outs.ended], ["one", "new", false]);
        const { inputs: stored } = checkAs("ServiceAccountRotation", {}, inputs(), listener());
        for (const text of [JSON.stringify(outs), JSON.stringify(stored)])
            assert.doesNotMatch(text, /canary-key|privateKey/, "no key and no login is stored");
        for (const name of masters) assert.deepEqual(Object.keys(fleet.node(name).agent.journal), ["cluster.join"]);
    });

    it("says at preview what the first word does on each node, and nothing of a cluster that is made with it", () => {
        const notes = (given: Partial<ServiceAccountRotationInputs>, olds: object = {}) =>
            checkAs("ServiceAccountRotation", olds as never, inputs(given), listener()).notes ?? [];
        const former = { secret: "canary-key", public: "its public half" };
        assert.deepEqual(notes({ madeFor: "", key: former }), ["m1: restarts\nm2: restarts"]);
        assert.deepEqual(notes({}), ["m1: restarts\nm2: restarts"]);
        assert.deepEqual(notes({ key: former }), []);
        assert.deepEqual(notes({ madeFor: "" }, { word: "zero" }), [], "its difference says so");
    });

    it("ends the former key with the first run after the grace, and says so at preview", async () => {
        const { outs } = await apply();
        keys = "keys=new old\nsigns=new";
        assert.equal(changes(outs).changes, false);
        const later = { ...outs, signsSince: hoursAgo(25) };
        const { changes: isChanged, note } = changes(later);
        assert.ok(isChanged);
        assert.match(
            String(note),
            /m1: its API server restarts, and accepts tokens of the former service-account key no longer/,
        );
        assert.equal(changes(later, inputs({ graceHours: 48 })).changes, false);
        const before = order().length;
        const { outs: over } = await apply(inputs(), later);
        assert.deepEqual(order().slice(before), ended);
        assert.ok(over.ended);
        keys = "keys=new\nsigns=new";
        assert.equal(changes(over).changes, false);
    });

    it("does not take the former key for ended where a run was stopped between the file and the restart", async () => {
        const { outs } = await apply();
        keys = "keys=new old\nsigns=new";
        fleet.node("m3").agent.failStep("node.service-account-key-alone", 1, {
            exitCode: exitCodes.ROTATION_FAILED,
            output: "kube-apiserver did not restart\n",
        });
        const later = { ...outs, signsSince: hoursAgo(25) };
        await assert.rejects(apply(inputs(), later), /m3[\s\S]*did not restart/);
        keys = "keys=new\nsigns=new";
        const before = order().length;
        assert.ok((await apply(inputs(), later)).outs.ended);
        assert.deepEqual(order().slice(before), ended);
    });

    it("gives tokens a grace that nodes sign with another key than the state says, as with a former state of the stack", async () => {
        const { outs } = await apply();
        keys = "keys=later new\nsigns=later";
        const before = order().length;
        const { outs: next } = await apply(inputs(), { ...outs, signsSince: hoursAgo(1000) });
        assert.deepEqual(order().slice(before), signed);
        assert.ok(next.signsSince > hoursAgo(1));
        assert.equal(next.ended, false);
    });

    it("is over at once where a state without it finds the new key alone", async () => {
        keys = "keys=new\nsigns=new";
        const { outs } = await apply();
        assert.deepEqual(order(), [...signed, ...ended]);
        assert.ok(outs.ended);
    });

    it("goes on where a run was stopped: no stage begins before the one before it is done everywhere", async () => {
        const output = "not now\n";
        const failing = { exitCode: exitCodes.ROTATION_FAILED, output };
        fleet.node("m2").agent.failStep("node.service-account-key-known", 1, failing);
        await assert.rejects(apply(), /m2[\s\S]*ROTATION_FAILED[\s\S]*not now/);
        assert.deepEqual(order(), signed.slice(0, 2));
        fleet.node("m3").agent.failStep("node.service-account-key-sign", 1, failing);
        await assert.rejects(apply(), /m3[\s\S]*ROTATION_FAILED/);
        // All sign, but the run that would have recorded since when has failed.
        keys = "keys=new old\nsigns=new";
        const before = order().length;
        const { outs } = await apply();
        assert.deepEqual(order().slice(before), signed);
        assert.ok(outs.signsSince > hoursAgo(1), "the grace begins when all is signed");
        fleet.node("m1").agent.failStep("cluster.renew-token-secrets", 1, failing);
        const later = { ...outs, signsSince: hoursAgo(25) };
        await assert.rejects(apply(inputs(), later), /m1[\s\S]*ROTATION_FAILED/);
        assert.ok(!order().some(each => each.endsWith("alone")), "a Secret that keeps its token keeps its key");
    });

    it("tells a Vim of the same program which key signs, and when no other is accepted, also after a run that was killed", async () => {
        const { outs } = await apply();
        const told = (olds: ServiceAccountRotationState, given = inputs()) => {
            const context = listener();
            checkAs("ServiceAccountRotation", {}, given, context);
            serviceAccountRotation.diff("id", olds, given, context);
            const { signs, alone } = signingKeysOf(context, clusterId);
            return [signs, alone];
        };
        const later = { ...outs, signsSince: hoursAgo(25) };
        const last = { ...later, ended: true };
        assert.deepEqual(told(outs), ["new", undefined]);
        assert.deepEqual(
            [told(later), told(last)],
            [
                ["new", "new"],
                ["new", "new"],
            ],
        );
        assert.deepEqual(told(later, inputs({ word: "two" })), ["", "new"], "the next word ends the keys before");
        assert.deepEqual(told(last, inputs({ word: "two" })), ["", undefined], "at preview there is no next key yet");
        const first = inputs({ key: { secret: "first", public: "of the first" } });
        assert.deepEqual(told({ ...last, keyName: "" }, first), [undefined, undefined]);
    });

    it("begins with a new word, and the grace with it", async () => {
        const { outs } = await apply();
        keys = "keys=new old\nsigns=new";
        const given = inputs({
            ...{ word: "two", madeFor: "two" },
            key: { secret: "third", public: "of the third", name: "third" },
        });
        const before = order().length;
        assert.equal(changes(outs, given).note, "m1: restarts\nm2: restarts");
        const { outs: next } = await apply(given, outs);
        assert.deepEqual(order().slice(before), signed, "the one before is not ended at once");
        assert.equal(next.ended, false);
        assert.deepEqual(kept(), ["", "", ""], "all keys stay");
    });

    it("ends keys whose grace is over also where each run has another word, unless a node signs with one of them", async () => {
        const { outs } = await apply();
        const given = inputs({
            ...{ word: "two", madeFor: "two" },
            key: { secret: "third", public: "of the third", name: "third" },
        });
        const old = { ...outs, signsSince: hoursAgo(1000) };
        for (const [signs, expected, begins] of [
            ["new", "new", [renew, ...signed]],
            ["third", "new", signed],
            ["old", "", signed],
        ] as const) {
            keys = `keys=new old\nsigns=${signs}`;
            const before = order().length;
            assert.match(String(changes(old, given).note), /^m1: restarts; tokens of keys before the last one end/);
            await apply(given, old);
            assert.deepEqual(kept(), [expected, expected, expected], signs);
            assert.deepEqual(order().slice(before), begins, "Secrets get tokens of the one that stays, before");
        }
    });

    it("is nothing in a cluster that is made with a word", async () => {
        const { outs } = await apply(inputs({ key: { secret: "first", public: "of the first" } }));
        assert.deepEqual([order(), outs.ended, outs.keyName], [[], true, ""]);
        assert.equal(changes(outs, inputs({ key: { secret: "first", public: "of the first" } })).changes, false);
    });

    it("is refused before anything changes: a node is silent, etcd is not healthy, or the run has made no key", async () => {
        healthy = "";
        const preview = async () =>
            (await serviceAccountRotation.checkInCloud!({}, inputs(), listener())).failures
                .map(({ reason }) => reason)
                .join("\n");
        await assert.rejects(apply(), /m2[\s\S]*its etcd is not healthy; nothing/);
        await assert.rejects(apply(inputs({ madeFor: "" })), /no key for the word "one"[\s\S]*without --target/);
        assert.match(await preview(), /m2[\s\S]*its etcd is not healthy; nothing/);
        healthy = "yes";
        assert.equal(await preview(), "");
        await fleet.node("m3").powerOff();
        await assert.rejects(apply(), /m3[\s\S]*CONNECT_FAILED[\s\S]*All control-plane nodes must answer/);
        assert.deepEqual(order(), []);
    });
});
