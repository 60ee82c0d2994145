import assert from "node:assert/strict";
import { noteFailure } from "../../../../../provider/contract/failures";
import {
    type LoginRotationInputs,
    type LoginRotationState,
    loginRotation,
} from "../../../../../provider/procedures/login-key/login-rotation";
import type { SshTarget } from "../../../../../provider/ssh/types";
import { FakeFleet } from "../../../../../testing";
import { newKeyPair } from "../../../../../testing/keys";
import { checkAs, endRun, listener } from "../../support/cluster";

const clusterId = "core-12345678";
const publicKeys = { 0: "ssh-ed25519 AAAAzero", 1: "ssh-ed25519 AAAAone", 2: "ssh-ed25519 AAAAtwo" };

const { private: newKey, public: authorized } = newKeyPair();

describe("the rotation of the servers' login key", () => {
    let fleet: FakeFleet;
    let scripts: string[];
    const machines = { m1: "server-1", w1: "server-2" };

    const inputs = (changes: Partial<LoginRotationInputs> = {}): LoginRotationInputs => ({
        ...{ clusterId, word: "2026-11", user: "nfv", machines, use: 0, publicKeys, newKey },
        targets: targets(),
        ...changes,
    });
    /** `jump`: the machine through which the others are reached. */
    const targets = (jump?: SshTarget) =>
        JSON.stringify(
            Object.keys(machines).map(name => {
                const direct = { ...fleet.target(name), connectTimeoutSeconds: 3 };
                return { name, connection: { ...direct, ...(jump && jump.port !== direct.port && { jump }) } };
            }),
        );
    /** `refuse`: machines whose sshd takes the key of the files no more than before. */
    const start = async (refuse: string[] = []) => {
        fleet = await FakeFleet.start({
            nodes: Object.keys(machines),
            authorizedKeys: [authorized],
            overrides: Object.fromEntries(refuse.map(name => [name, { authorizedKeys: [] }])),
        });
        for (const name of Object.keys(machines)) {
            fleet.node(name).agent.belongsTo = { cluster: clusterId, node: name };
            fleet.node(name).onScript(({ stdin }) => {
                scripts.push(`node ${name}\n${stdin}`);
                return {};
            });
        }
    };
    const restart = async (refuse: string[]) => {
        await fleet.stop();
        await start(refuse);
    };
    const apply = async (given: LoginRotationInputs, olds?: LoginRotationState, context = listener()) => {
        const { inputs: stored, failures } = checkAs("LoginRotation", olds ?? {}, given, context);
        assert.deepEqual(failures, []);
        scripts = [];
        const { outs } =
            olds === undefined
                ? await loginRotation.create(stored, context)
                : await loginRotation.update("id", olds, stored, context);
        return outs;
    };
    const diff = (olds: LoginRotationState, given: LoginRotationInputs) => loginRotation.diff("id", olds, given);
    /** By machine: which keys come, and which go. */
    const placed = () =>
        scripts
            .map(text => {
                const keys = (name: string) => [
                    ...(new RegExp(`^${name}='?((?:ssh-ed25519 \\w+\\n?)*)`, "m").exec(text)?.[1] ?? "").matchAll(
                        /AAAA(\w+)/g,
                    ),
                ];
                const of = (name: string) =>
                    keys(name)
                        .map(([, each]) => each)
                        .join(" ");
                return `${/^node (\w+)/.exec(text)?.[1]}: +${of("KEYS")} -${of("GONE")}`;
            })
            .sort();
    const added = () => apply(inputs({ add: 1 }));
    const next = (olds: LoginRotationState) => apply(inputs({ use: 1 }), olds);

    beforeEach(async () => {
        scripts = [];
        await start();
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("touches no machine of a cluster that is made with the word", async () => {
        const outs = await apply(inputs());
        assert.deepEqual(placed(), []);
        assert.deepEqual([outs.present, outs.next, outs.formers], [{ word: "2026-11", key: 0 }, undefined, []]);
        assert.equal(diff(outs, inputs()).changes, false);
        assert.equal(diff(outs, inputs({ machines: { ...machines, w2: "server-3" } })).changes, false);
    });

    it("makes the new key known to all machines first, and ends none", async () => {
        const outs = await added();
        assert.deepEqual(placed(), ["m1: +zero one -", "w1: +zero one -"]);
        assert.deepEqual([outs.present.key, outs.next, outs.formers], [0, { word: "2026-11", key: 1 }, []]);
    });

    it("knows a machine whose notes have another name than its server: a storage server", async () => {
        fleet.node("w1").agent.belongsTo = { cluster: clusterId, node: "storage" };
        const named = JSON.parse(targets()).map((each: { name: string }) => ({
            ...each,
            ...(each.name === "w1" && { node: "storage" }),
        }));
        await apply(inputs({ add: 1, targets: JSON.stringify(named) }));
        assert.deepEqual(placed(), ["m1: +zero one -", "w1: +zero one -"]);
    });

    it("ends the former key in the run that logs in with the new one, and says so at preview", async () => {
        const olds = await added();
        const { changes, note } = diff(olds, inputs({ use: 1 }));
        assert.ok(changes);
        assert.match(note!, /the former login key goes from m1, w1/);
        const outs = await next(olds);
        assert.deepEqual(placed(), ["m1: +one -zero", "w1: +one -zero"]);
        assert.deepEqual([outs.present, outs.next], [{ word: "2026-11", key: 1 }, undefined]);
        assert.deepEqual(outs.formers, [publicKeys[0]]);
        assert.equal(diff(outs, inputs({ use: 1 })).changes, false);
    });

    it("ends no key where something failed in the run, which goes on with --continue-on-error: its state may have the former login", async () => {
        const olds = await added();
        const context = listener();
        noteFailure(context, new Error("w1: connect: CONNECT_FAILED"));
        await assert.rejects(apply(inputs({ use: 1 }), olds, context), /w1: connect: CONNECT_FAILED: no machine was/);
        assert.deepEqual(placed(), []);
        await endRun();
        assert.equal((await next(olds)).present.key, 1);
    });

    it("ends former keys on servers that are new after that: the cloud gives them its key pair", async () => {
        const olds = await next(await added());
        const given = inputs({ use: 1, machines: { ...machines, w1: "server-9" } });
        assert.match(diff(olds, given).note!, /go from w1, which/);
        await apply(given, olds);
        assert.deepEqual(placed(), ["w1: +one -zero"]);
    });

    it("goes on with another word: all former keys end", async () => {
        const olds = await next(await added());
        const second = await apply(inputs({ word: "2027-01", use: 1, add: 2 }), olds);
        assert.deepEqual(placed(), ["m1: +one two -zero", "w1: +one two -zero"]);
        const outs = await apply(inputs({ word: "2027-01", use: 2 }), second);
        assert.deepEqual(placed(), ["m1: +two -zero one", "w1: +two -zero one"]);
        assert.deepEqual(outs.formers, [publicKeys[0], publicKeys[1]]);
    });

    it("begins again without a record: the first key is known to have ended", async () => {
        const outs = await apply(inputs({ use: 1 }));
        assert.deepEqual(placed(), []);
        assert.deepEqual([outs.present, outs.formers], [{ word: "2026-11", key: 1 }, [publicKeys[0]]]);
    });

    it("says at the first preview what it does", () => {
        const { notes } = checkAs("LoginRotation", {}, inputs({ add: 1 }), listener());
        assert.match(notes![0]!, /a new login key is made known to m1, w1; the next pulumi up/);
        const { notes: none } = checkAs("LoginRotation", {}, inputs(), listener());
        assert.equal(none, undefined);
    });

    it("leaves the state as it was where a machine does not answer", async () => {
        await fleet.node("w1").powerOff();
        await assert.rejects(added(), /w1/);
        await fleet.node("w1").powerOn();
        await added();
        assert.deepEqual(placed(), ["m1: +zero one -", "w1: +zero one -"]);
    });

    it("has not made the new key known where a machine refuses it, and names each of them", async () => {
        await restart(["m1", "w1"]);
        await assert.rejects(added(), (error: Error) => {
            assert.match(error.message, /have the new login key and refuse it: m1 \(.*\), w1 \(/s);
            assert.match(error.message, /The former key lets you in as before/);
            return true;
        });
        await restart(["w1"]);
        await assert.rejects(added(), (error: Error) => !/m1/.test(error.message) && /w1/.test(error.message));
    });

    it("proves it the way that the next run goes: the jump server, and through it", async () => {
        const jump = { ...fleet.target("m1"), connectTimeoutSeconds: 3 };
        const before = fleet.events.filter(({ event, node }) => event === "connect" && node === "m1").length;
        assert.ok((await apply(inputs({ add: 1, targets: targets(jump) }))).next);
        const after = fleet.events.filter(({ event, node }) => event === "connect" && node === "m1").length;
        assert.equal(after - before, 2, "once with each key");
        await endRun();
        await restart(["m1"]);
        const refused = apply(inputs({ add: 1, targets: targets(fleet.target("m1")) }));
        await assert.rejects(refused, (error: Error) => /m1 \(/.test(error.message) && !/w1 \(/.test(error.message));
    });

    it("goes through a jump server of the user's with that one's login", async () => {
        const own = newKeyPair();
        const site = await FakeFleet.start({ nodes: ["jump"], authorizedKeys: [own.public] });
        try {
            const jump = { ...site.target("jump"), privateKey: own.private };
            assert.ok((await apply(inputs({ add: 1, targets: targets(jump) }))).next);
        } finally {
            await endRun();
            await site.stop();
        }
    });

    it("stores no login, and refuses a run that leaves out the keys", async () => {
        const { inputs: stored } = checkAs("LoginRotation", {}, inputs({ add: 1 }), listener());
        assert.doesNotMatch(JSON.stringify([stored, await added()]), /PRIVATE KEY/);
        await assert.rejects(apply(inputs({ add: 7 })), /there is no login key 7, because this run leaves out/);
    });
});
