import assert from "node:assert/strict";
import { heldKeys } from "../../../../../provider/cloud/held-keys";
import { noteFailure } from "../../../../../provider/contract/failures";
import { noteProgramMasters } from "../../../../../provider/machine/program-masters";
import { GivenInputs } from "../../../../../provider/machine/stored-machine";
import { newHostKeyPath } from "../../../../../provider/node/place-host-key";
import { hostKeyOf } from "../../../../../provider/openstack/host-key";
import {
    type HostKeyRotationInputs,
    type HostKeyRotationState,
    hostKeyRotation,
    limits,
} from "../../../../../provider/procedures/logins/host-key-rotation";
import { anyOf, Connections, keyOfThisRun, type SshTarget } from "../../../../../provider/ssh";
import { noteWanted, type StorageMachineInputs } from "../../../../../provider/storage/storage-machine-state";
import { FakeFleet } from "../../../../../testing";
import { endRun, listener } from "../../support/cluster";

const clusterId = "core-12345678";
const [seed, newSeed, strange] = [1, 2, 3].map(byte => Buffer.alloc(32, byte).toString("base64")) as [
    string,
    string,
    string,
];
const machines = ["m1", "w1", "jump"];

describe("the rotation of the servers' host keys", () => {
    let fleet: FakeFleet;
    /** By machine: what the script has shown, in order. */
    let shown: Record<string, string[]>;
    /** What a machine does instead of showing the key: the end of the script's output. */
    let faults: Record<string, (key: string) => { code: number; stderr: string } | undefined>;

    const nameOf = (publicKey: string, machine: string) =>
        Object.entries({ former: seed, next: newSeed, strange }).find(
            ([, each]) => hostKeyOf(each, machine).publicKey === publicKey,
        )?.[0];
    const shows = (machine: string) => nameOf(fleet.node(machine).hostKey, machine);
    /** How the program gives a connection while the rotation is under way. */
    const connection = (machine: string): SshTarget => ({
        ...fleet.target(machine),
        hostKey: heldKeys(anyOf([seed, newSeed]), machine),
        connectTimeoutSeconds: 3,
    });
    const inputs = (changes: Partial<HostKeyRotationInputs> = {}): HostKeyRotationInputs => ({
        ...{ clusterId, word: "2026-11", machines, use: 0, seed, newSeed },
        targets: JSON.stringify(
            machines.map(name => ({
                name,
                isNode: name !== "jump",
                connection: {
                    ...connection(name),
                    ...(name === "w1" && { jump: connection("jump") }),
                },
            })),
        ),
        ...changes,
    });
    const apply = async (
        given: HostKeyRotationInputs,
        olds?: HostKeyRotationState,
        isWhole = true,
        storage?: StorageMachineInputs,
    ) => {
        const context = listener();
        if (storage) noteWanted(context, storage);
        if (failure !== undefined) noteFailure(context, failure);
        for (const type of ["Host", "Node"] as const)
            for (const name of isWhole ? ["m1", "w1"] : ["m1"])
                context.session.part(GivenInputs).note(type, { spec: { clusterId, name } });
        noteProgramMasters(context, clusterId, [], []);
        const { inputs: stored, failures } = hostKeyRotation.check(olds ?? {}, given, context);
        assert.deepEqual(failures, []);
        const { outs } =
            olds === undefined
                ? await hostKeyRotation.create(stored, context)
                : await hostKeyRotation.update("id", olds, stored, context);
        return outs;
    };
    const add = () => apply(inputs({ add: 1 }));
    const isLetIn = async (hostKey: string, machine = "m1") => {
        const all = new Connections();
        try {
            return (await all.to({ ...connection(machine), hostKey }).exec(["true"])).code;
        } finally {
            await all.close();
        }
    };

    /** Of another resource of the run. */
    let failure: Error | undefined;

    beforeEach(async () => {
        limits.reloadMs = 700;
        failure = undefined;
        [shown, faults] = [{}, {}];
        fleet = await FakeFleet.start({ nodes: machines });
        for (const name of machines) {
            const node = fleet.node(name);
            node.agent.belongsTo = { cluster: clusterId, node: name };
            node.showHostKey(hostKeyOf(seed, name).privateKey);
            node.onScript(({ stdin }) => {
                assert.doesNotMatch(String(stdin), /PRIVATE KEY/);
                const key = node.files.text(newHostKeyPath)!;
                const which = [seed, newSeed].find(each => hostKeyOf(each, name).privateKey === key)!;
                assert.ok(String(stdin).includes(hostKeyOf(which, name).publicKey));
                const said = faults[name]?.(which);
                if (said !== undefined) return said;
                node.showHostKey(key);
                shown[name] = [...(shown[name] ?? []), shows(name)!];
                return {};
            });
        }
    });
    afterEach(async () => {
        limits.reloadMs = 10_000;
        await endRun();
        await fleet.stop();
    });

    it("touches no server of a cluster that is made with the word", async () => {
        const outs = await apply(inputs());
        assert.deepEqual(shown, {});
        assert.deepEqual([outs.present, outs.next], [{ word: "2026-11", key: 0 }, undefined]);
        assert.equal(hostKeyRotation.diff("id", outs, inputs()).changes, false);
    });

    it("knows a machine whose notes have another name than its server: a storage server", async () => {
        fleet.node("jump").agent.belongsTo = { cluster: clusterId, node: "storage" };
        const given = inputs({ add: 1 });
        const named = JSON.parse(given.targets).map((each: { name: string }) => ({
            ...each,
            ...(each.name === "jump" && { node: "storage" }),
        }));
        const withStorage = { ...given, targets: JSON.stringify(named) };
        await assert.rejects(apply(withStorage), /this run leaves out jump: no machine was touched/);
        await endRun();
        const spec = { clusterId, name: "storage", address: "10.0.0.9" } as StorageMachineInputs["spec"];
        await apply(withStorage, undefined, true, { spec } as StorageMachineInputs);
        assert.deepEqual(shown["jump"], ["next"]);
    });

    it("gives each server its own new key, and proves it by a connection that takes no other, through the jump server, too", async () => {
        const outs = await add();
        assert.deepEqual(shown, Object.fromEntries(machines.map(name => [name, ["next"]])));
        assert.equal(new Set(machines.map(name => fleet.node(name).hostKey)).size, 3);
        assert.deepEqual(
            [outs.present, outs.next],
            [
                { word: "", key: 0 },
                { word: "2026-11", key: 1 },
            ],
        );
        assert.equal(fleet.node("m1").files.get(newHostKeyPath)?.mode, 0o600);
        const connects = fleet.events.filter(({ event, node }) => event === "connect" && node === "m1").length;
        assert.equal(connects, 2, "once with either key, once with the new one alone");
    });

    it("ends with the run that takes the new keys alone: it touches no server", async () => {
        const olds = await add();
        shown = {};
        const { changes, note } = hostKeyRotation.diff("id", olds, inputs({ use: 1, seed: newSeed }));
        assert.ok(changes);
        assert.match(note!, /only the new host keys of m1, w1, jump are taken/);
        const outs = await apply(inputs({ use: 1, seed: newSeed }), olds);
        assert.deepEqual([outs.present, outs.next, shown], [{ word: "2026-11", key: 1 }, undefined, {}]);
        assert.equal(hostKeyRotation.diff("id", outs, inputs({ use: 1 })).changes, false);
    });

    it("touches no server where something failed in the run, which goes on with --continue-on-error: its state may have the former key alone", async () => {
        failure = new Error("w1: connect: CONNECT_FAILED");
        await assert.rejects(add(), /w1: connect: CONNECT_FAILED: no machine was touched/);
        assert.deepEqual(shown, {});
        await endRun();
        failure = undefined;
        const olds = await add();
        await endRun();
        failure = new Error("w1: connect: CONNECT_FAILED");
        assert.equal((await apply(inputs({ use: 1, seed: newSeed }), olds)).present.key, 1);
    });

    it("says at the first preview what it does", () => {
        const { notes } = hostKeyRotation.check({}, inputs({ add: 1, newSeed: keyOfThisRun }), listener());
        assert.match(notes![0]!, /m1, w1, jump get another host key; open sessions go on/);
        assert.equal(hostKeyRotation.check({}, inputs(), listener()).notes, undefined);
    });

    it("gives a server that shows another key than the new one its former one again, names it, and goes on later", async () => {
        // The file has the new key, and sshd does not take it.
        faults["w1"] = which => (which === newSeed ? { code: 0, stderr: "" } : undefined);
        await assert.rejects(add(), (error: Error) => {
            assert.match(
                error.message,
                /did not take their new host key: w1 \(.*shows SHA256:.*it has its former key again/s,
            );
            assert.doesNotMatch(error.message, /m1 \(/);
            return true;
        });
        assert.deepEqual([shows("m1"), shows("jump"), shows("w1")], ["next", "next", "former"]);
        faults = {};
        await endRun();
        assert.equal((await add()).next?.key, 1);
        assert.equal(shows("w1"), "next");
    });

    it("never takes a third key, and says so", async () => {
        faults["m1"] = () => {
            fleet.node("m1").showHostKey(hostKeyOf(strange, "m1").privateKey);
            return { code: 0, stderr: "" };
        };
        await assert.rejects(add(), /m1 \(.*shows SHA256:.*could not get its former key again/s);
        await endRun();
        await assert.rejects(add(), (error: Error) => /m1 \(/.test(error.message) && !/w1 \(/.test(error.message));
        assert.equal(shows("m1"), "strange");
    });

    it("gives a server whose sshd refuses its settings its former key again", async () => {
        faults["m1"] = which => (which === newSeed ? { code: 1, stderr: "sshd -t refuses its settings" } : undefined);
        await assert.rejects(add(), /m1 \(.*it has its former key again/s);
        assert.deepEqual([shows("m1"), shows("w1")], ["former", "next"]);
    });

    it("says of a server with a full disk that it has its former key: nothing was exchanged there", async () => {
        fleet.node("m1").on(argv => argv.includes(newHostKeyPath), { code: 1, stderr: "No space left on device" });
        await assert.rejects(add(), (error: Error) => {
            assert.match(error.message, /m1 \([^)]*No space left on device[^)]*; it shows its former key still\)/);
            assert.doesNotMatch(error.message, /could not get/);
            return true;
        });
        assert.deepEqual([shows("m1"), shows("w1")], ["former", "next"]);
    });

    it("names a server that does not answer; the others get their key", async () => {
        await fleet.node("m1").powerOff();
        await assert.rejects(add(), (error: Error) => !/w1 \(/.test(error.message) && /m1 \(/.test(error.message));
        assert.equal(shows("w1"), "next");
        await fleet.node("m1").powerOn();
        await endRun();
        assert.equal((await add()).next?.key, 1);
    });

    it("leaves each server reachable by what the state has, wherever it was killed, and goes on", async () => {
        // Killed between two servers: one shows the new key, the others the former ones, one has its file alone.
        fleet.node("m1").showHostKey(hostKeyOf(newSeed, "m1").privateKey);
        fleet.node("w1").files.put(newHostKeyPath, hostKeyOf(newSeed, "w1").privateKey);
        const both = heldKeys(anyOf([seed, newSeed]), "m1");
        assert.equal(await isLetIn(both), 0);
        assert.equal(await isLetIn(heldKeys(anyOf([seed, newSeed]), "w1"), "w1"), 0);
        await assert.rejects(isLetIn(heldKeys(seed, "m1")), { code: "HOST_KEY_CHANGED" });
        assert.equal((await add()).next?.key, 1);
        assert.deepEqual(machines.map(shows), ["next", "next", "next"]);
    });

    it("stores no seed and no login, and refuses a run that leaves out the seed, a machine or the masters", async () => {
        const stored = JSON.stringify([hostKeyRotation.check({}, inputs({ add: 1 }), listener()).inputs, await add()]);
        for (const secret of ["PRIVATE KEY", seed, newSeed]) assert.ok(!stored.includes(secret));
        await assert.rejects(apply(inputs({ add: 1, newSeed: undefined } as object)), /there is no seed 1: no machine/);
        await endRun();
        await assert.rejects(apply(inputs({ add: 1 }), undefined, false), /this run leaves out w1: no machine was/);
    });
});
