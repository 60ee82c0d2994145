import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/contract/values";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { plan, stepTitles } from "../../../../provider/steps";
import { volumeIdentity } from "../../../../provider/storage/disks/volume-identity";
import type { BackupSpec, StorageSpec } from "../../../../provider/storage/spec";
import type { StorageBackupsInputs, StorageBackupsState } from "../../../../provider/storage/storage-backups";
import { storageBackups } from "../../../../provider/storage/storage-backups";
import { storageMachine } from "../../../../provider/storage/storage-machine";
import type { StorageMachineInputs } from "../../../../provider/storage/storage-machine-state";
import { storageBackupSteps, storageSteps } from "../../../../provider/storage/storage-steps";
import { FakeFleet } from "../../../../testing";
import { endRun, listener } from "../support/cluster";
import { sampleBackup, sampleStorage, sampleVolume } from "./sample-storage";

type Failed<State> = Error & { code: string; id: string; properties: State };

describe("the backups of a storage server", () => {
    let fleet: FakeFleet;
    /** What a look at the backups prints. */
    let differences: string;
    const owner = "store-12345678";
    const step = "storage.backup";
    const title = "start the backups";
    const { uuid, label } = volumeIdentity(owner, "data");

    const specOf = (changes: Partial<BackupSpec> = {}) =>
        sampleStorage({ volumes: { data: sampleVolume({ owner: "" }) }, backups: { nightly: sampleBackup(changes) } });
    const common = () => ({
        fingerprintKey: "key",
        connection: { ...fleet.target("st1"), connectTimeoutSeconds: 3 },
    });
    const machineInputs = (spec: StorageSpec = specOf(), serverId = "a"): StorageMachineInputs => ({
        ...common(),
        spec,
        steps: stepTitles(plan(storageSteps, spec, "key")),
        force: [],
        serverId,
    });
    const inputs = (
        changes: Partial<BackupSpec> = {},
        more: Partial<StorageBackupsInputs> = {},
    ): StorageBackupsInputs => {
        const { clusterId, name, backups } = specOf(changes);
        const spec = { clusterId, name, ...(backups && { backups }) };
        const steps = stepTitles(plan(storageBackupSteps, spec, "key"));
        return { ...common(), spec, steps, serverId: "machine-1", setUp: "one", ...more };
    };
    const agent = () => fleet.node("st1").agent;
    const timesBegun = () => fleet.begun().filter(line => line === `st1 ${step}`).length;
    const isUnreachable = (times = 99) =>
        agent().failStep(step, times, {
            exitCode: exitCodes.BACKUP_FAILED,
            output: "backup nightly: its repository cannot be opened: dial tcp 10.0.0.9:22: connect: connection refused\n",
        });
    const failure = <State = StorageBackupsState>(work: Promise<unknown>): Promise<Failed<State>> =>
        work.then(
            () => assert.fail("it fails"),
            error => error as Failed<State>,
        );
    const setUp = () => storageMachine.create(machineInputs(), listener());

    beforeEach(async () => {
        differences = "";
        fleet = await FakeFleet.start({ nodes: ["st1"] });
        fleet.node("st1").onScript(({ stdin }) => {
            const text = stdin.toString();
            if (text.includes("look-at-disks"))
                return { stdout: `volume data\ndevice /dev/vdb\nbytes 1073741824\nsignature ext4,${uuid},${label}\n` };
            const isLook = text.includes("observe-backups");
            return isLook ? { stdout: `\x1e${step}\x1f0\n${differences}\n` } : {};
        });
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("do not keep the server from being set up and changed while their repository cannot be reached", async () => {
        isUnreachable();
        const { id, outs } = await setUp();
        assert.deepEqual(outs.pending, []);
        const faster = machineInputs({ ...specOf(), threads: 16 });
        assert.deepEqual((await storageMachine.update(id, outs, faster, listener())).outs.pending, []);
        const { props } = await storageMachine.read(id, outs, listener());
        assert.deepEqual(props!.pending, []);
        assert.equal(timesBegun(), 0);
    });

    it("that cannot be made fail with the cause, and are to be made by the next run, however often it fails", async () => {
        await setUp();
        isUnreachable();
        const { code, message, id, properties } = await failure(storageBackups.create(inputs(), listener()));
        assert.equal(code, "BACKUP_FAILED");
        assert.match(message, /st1[\s\S]*its repository cannot be opened: dial tcp 10\.0\.0\.9:22/);
        assert.match(message, /Exports are served and the cluster works, only the backup is missing/);
        assert.deepEqual(properties.pending, [title]);
        assert.equal(storageBackups.diff(id, properties, inputs()).changes, true);
        const again = await failure(storageBackups.update(id, properties, inputs(), listener()));
        assert.deepEqual([again.code, again.properties.pending], ["BACKUP_FAILED", [title]]);
        isUnreachable(0);
        const { outs } = await storageBackups.update(id, again.properties, inputs(), listener());
        assert.deepEqual(outs.pending, []);
        assert.equal(storageBackups.diff(id, outs, inputs()).changes, false);
        assert.equal(timesBegun(), 3);
    });

    it("are begun when they are made, changed or asked for, and not again", async () => {
        await setUp();
        const { id, outs } = await storageBackups.create(inputs(), listener());
        assert.match(outs.hostKey!, /^ssh-/);
        for (const same of [inputs(), inputs({}, { setUp: unknownValue }), inputs({}, { hostKey: unknownValue })])
            assert.equal(storageBackups.diff(id, outs, same).changes, false);
        for (const news of [inputs({ run: "two" }), inputs({ password: "other" }), inputs({}, { changeNumber: 1 })])
            assert.equal(storageBackups.diff(id, outs, news).changes, true);
        await storageBackups.update(id, outs, inputs(), listener());
        assert.equal(timesBegun(), 1, "the machine's journal has it");
        await storageBackups.update(id, outs, inputs({ run: "two" }), listener());
        assert.equal(timesBegun(), 2);
    });

    it("that failed at night are seen by a refresh, and made again, whatever the machine's journal says", async () => {
        await setUp();
        const { id, outs } = await storageBackups.create(inputs(), listener());
        const seen = async () => (await storageBackups.read(id, outs, listener())).props!;
        assert.deepEqual([(await seen()).pending, Object.keys((await seen()).done)], [[], [step]]);
        differences = "backup nightly failed";
        const props = await seen();
        assert.deepEqual(props.pending, [title]);
        assert.equal(storageBackups.diff(id, props, inputs()).changes, true);
        assert.equal(agent().journal[step] !== undefined, true);
        await storageBackups.update(id, props, inputs(), listener());
        assert.equal(timesBegun(), 2);
    });

    it("are begun again on another machine in the place of the former one, also where only its own update has found that", async () => {
        const { id: machine, outs: state } = await setUp();
        const { id, outs } = await storageBackups.create(inputs({}, { setUp: state.setUp! }), listener());
        for (const more of [{ serverId: unknownValue }, { serverId: "machine-2" }, { setUp: "two" }]) {
            const found = storageBackups.diff(id, outs, inputs({}, { setUp: state.setUp!, ...more }));
            assert.deepEqual([found.changes, found.replaces], [true, []]);
        }
        // rebuilt: a refresh sees it, and so does an update of the server
        for (const each of Object.keys(agent().journal)) delete agent().journal[each];
        agent().belongsTo = undefined;
        assert.deepEqual((await storageBackups.read(id, outs, listener())).props!.pending, [title]);
        await assert.rejects(
            storageBackups.update(id, outs, inputs({ run: "two" }), listener()),
            /FOREIGN_NODE[\s\S]*no storage server of ours[\s\S]*pulumi up --refresh/,
        );
        const { outs: later } = await storageMachine.update(machine, state, machineInputs(), listener());
        assert.notEqual(later.setUp, state.setUp);
        const news = inputs({}, { setUp: later.setUp! });
        assert.equal(storageBackups.diff(id, outs, news).changes, true);
        await storageBackups.update(id, outs, news, listener());
        assert.equal(timesBegun(), 2);
        const { outs: same } = await storageMachine.update(machine, later, machineInputs(), listener());
        assert.equal(same.setUp, later.setUp);
    });

    it("that come back are begun, although the machine's journal has the former ones", async () => {
        await setUp();
        const { id, outs } = await storageBackups.create(inputs(), listener());
        await storageBackups.delete(id, outs, listener());
        await storageBackups.create(inputs(), listener());
        assert.equal(timesBegun(), 2);
    });

    it("go without a machine that answers; a refresh keeps them until it can be asked", async () => {
        await setUp();
        const { id, outs } = await storageBackups.create(inputs(), listener());
        await fleet.node("st1").powerOff();
        await endRun();
        const context = listener();
        assert.deepEqual((await storageBackups.read(id, outs, context)).props, outs);
        assert.match(context.warned.join(), /st1: kept as it was/);
        await storageBackups.delete(id, outs, listener());
    });

    it("leave nothing in the journal of a server that is given back", async () => {
        const { id, outs } = await setUp();
        await storageBackups.create(inputs(), listener());
        agent().failStep("storage.leave", 1);
        storageMachine.check(outs, machineInputs(), listener());
        await assert.rejects(storageMachine.delete(id, outs, listener()));
        assert.equal(agent().journal[step], undefined, "a refresh sees what is to be done again");
    });

    it("whose change is taken back after a run that did not come to them are begun again: their timer had stopped", async () => {
        const made = await setUp();
        const begun = inputs({}, { setUp: made.outs.setUp });
        const { id, outs } = await storageBackups.create(begun, listener());
        const other = specOf({ schedule: "daily" });
        const changed = await storageMachine.update(made.id, made.outs, machineInputs(other), listener());
        const back = await storageMachine.update(made.id, changed.outs, machineInputs(), listener());
        const before = timesBegun();
        const news = inputs({}, { setUp: back.outs.setUp });
        assert.equal(storageBackups.diff(id, outs, news).changes, true);
        await storageBackups.update(id, outs, news, listener());
        assert.equal(timesBegun(), before + 1);
    });
});
