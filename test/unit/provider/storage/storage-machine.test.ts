import assert from "node:assert/strict";
import { runFacts } from "../../../../provider/contract/run-facts";
import { unknownValue } from "../../../../provider/contract/values";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { plan, stepTitles } from "../../../../provider/steps";
import { volumeIdentity } from "../../../../provider/storage/disks/volume-identity";
import type { RestoreSpec, StorageSpec } from "../../../../provider/storage/spec";
import { type StorageClientInputs, storageClient } from "../../../../provider/storage/storage-client";
import { storageMachine } from "../../../../provider/storage/storage-machine";
import type { StorageMachineInputs } from "../../../../provider/storage/storage-machine-state";
import { storageSteps } from "../../../../provider/storage/storage-steps";
import { FakeFleet } from "../../../../testing";
import { checkAs, checked, endRun, listener, withGivenUp } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";
import { sampleBackup, sampleExport, sampleRestore, sampleStorage, sampleVolume } from "./sample-storage";

describe("a storage server", () => {
    let fleet: FakeFleet;
    let api: FakeApi;
    /** What the look at the disks prints. */
    let disks: string;
    /** Addresses of clients with mounts. */
    let connected: string;
    /** What the look at what runs prints. */
    let running: string;
    /** Scripts of acts, in order. */
    let acts: string[];
    const owner = "store-12345678";
    const { uuid, label } = volumeIdentity(owner, "data");
    const ours = `volume data\ndevice /dev/vdb\nbytes 1073741824\nsignature ext4,${uuid},${label}\n`;

    const inputs = (
        changes: Partial<StorageSpec> = {},
        more: Partial<StorageMachineInputs> = {},
    ): StorageMachineInputs => {
        const spec = sampleStorage({ volumes: { data: sampleVolume({ owner: "" }) }, ...changes });
        return {
            spec,
            steps: stepTitles(plan(storageSteps, spec, "key")),
            fingerprintKey: "key",
            connection: { ...fleet.target("st1"), connectTimeoutSeconds: 3 },
            access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
            force: [],
            ...more,
        };
    };
    const without = (more: Partial<StorageMachineInputs> = {}) => inputs({ exports: {} }, more);
    const usedBy = (path: string) => {
        const volume = {
            metadata: { name: "pv1" },
            spec: { nfs: { server: "10.0.0.31", path }, claimRef: { namespace: "web", name: "c1" } },
            status: { phase: "Bound" },
        };
        api.objects.set("/api/v1/persistentvolumes", { items: [volume] });
        api.objects.set("/api/v1/pods", { items: [] });
    };
    const begun = () => fleet.begun().map(line => line.replace("st1 ", ""));
    const failures = async (olds: Partial<StorageMachineInputs>, news: StorageMachineInputs) =>
        (await storageMachine.checkInCloud!(olds, news, listener())).failures.map(({ reason }) => reason).join("\n");

    beforeEach(async () => {
        acts = [];
        connected = "";
        running = "";
        disks = "volume data\ndevice /dev/vdb\nbytes 1073741824\n";
        [fleet, api] = await Promise.all([FakeFleet.start({ nodes: ["st1"] }), FakeApi.start()]);
        api.objects.set("/api/v1/persistentvolumes", { items: [] });
        api.objects.set("/api/v1/pods", { items: [] });
        fleet.node("st1").onScript(({ stdin }) => {
            const text = stdin.toString();
            if (text.includes("look-at-disks")) return { stdout: disks };
            if (text.includes("connected-clients")) return { stdout: connected };
            if (text.includes("flock -n -s")) return { stdout: running };
            acts.push(text);
            return {};
        });
    });
    afterEach(async () => {
        await endRun();
        await Promise.all([fleet.stop(), api.stop()]);
    });

    it("is set up step by step, and needs nothing when nothing changed", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        assert.deepEqual(
            begun().filter(step => step.startsWith("storage.")),
            [
                "storage.proxy",
                "storage.settings",
                "storage.announced",
                "storage.server",
                "storage.volumes",
                "storage.backups",
                "storage.folders",
                "storage.exports",
                "storage.unused",
            ],
        );
        assert.equal(storageMachine.diff(id, outs, inputs()).changes, false);
        assert.equal(storageMachine.diff(id, outs, inputs({ threads: 16 })).changes, true);
        assert.equal(storageMachine.diff(id, { ...outs, pending: ["serve"] }, inputs()).changes, true);
        assert.equal(storageMachine.diff(id, outs, inputs({}, { changeNumber: 1 })).changes, true);
        assert.match(outs.hostKey!, /^ssh-/);
    });

    it("refuses a machine that is a node of others, at preview and before the first step, and says what it is", async () => {
        const facts = [
            ...["memberOf=", "noted=", "apiReady=yes", "certificate="],
            ...["trace=/etc/kubernetes/kubelet.conf", "trace=/var/lib/etcd/member", "server=https://10.0.0.9:6443"],
        ];
        fleet.node("st1").on(machineStatusArgv, { stdout: `${facts.join("\n")}\n` });
        const found = /is a node, or the storage server of somebody else[\s\S]*API server: https:\/\/10\.0\.0\.9:6443/;
        assert.match(await failures({}, inputs()), found);
        await assert.rejects(storageMachine.create(inputs(), listener()), found);
        assert.deepEqual([begun(), acts], [[], []]);
    });

    it("tells at once what a stopped run left running, since when, until when, and how to end it; then it goes on with its result", async () => {
        const backups = { nightly: sampleBackup() };
        const { id, outs } = await storageMachine.create(inputs({ backups }), listener());
        disks = ours;
        const { agent } = fleet.node("st1");
        running = "storage.restore storage.restore 1790000000 86400\n";
        const way =
            /restore.*since 2026-09-21 14:13:20 UTC.*To end it, on st1: systemctl stop nfv-batch-storage\.restore/;
        const stopped = async (restores: Record<string, RestoreSpec>) => {
            fleet.events.length = 0;
            agent.failStep("storage.restore", 1, { exitCode: 0, seconds: 2 });
            const run = new AbortController();
            const news = inputs({ backups, restores });
            const updating = storageMachine.update!(id, outs, news, { ...listener(), signal: run.signal });
            while (!begun().includes("storage.restore")) await new Promise(resolve => setTimeout(resolve, 20));
            run.abort();
            await assert.rejects(updating, /CANCELLED/);
            return news;
        };
        const news = await stopped({ lost: sampleRestore() });
        const next = listener();
        await storageMachine.update!(id, outs, news, next);
        assert.match(next.noted.join("\n"), way);
        assert.equal(begun().filter(step => step === "storage.restore").length, 1);
        const quiet = listener();
        await storageMachine.update!(id, outs, news, quiet);
        assert.deepEqual(quiet.noted, []);
        const restoring = await stopped({ again: sampleRestore({ folder: "again" }) });
        const last = listener();
        await storageMachine.delete(id, { ...outs, ...restoring }, last);
        assert.match(last.noted.join("\n"), way);
    });

    it("does again what stands on a folder that is made anew: of a lost volume, or that a restore brings back", async () => {
        const backups = { nightly: sampleBackup() };
        const restores = { lost: sampleRestore() };
        const { id, outs } = await storageMachine.create(inputs({ backups }), listener());
        disks = ours;
        const did = async (changes: Partial<StorageSpec>, state: typeof outs) => {
            const before = begun().length;
            const reached = await storageMachine.update(id, state, inputs(changes), listener());
            return [begun().slice(before), reached.outs] as const;
        };
        const onFolders = ["storage.restore", "storage.folders", "storage.exports"];
        const [back, restored] = await did({ backups, restores }, outs);
        assert.deepEqual(back, onFolders);
        disks = "volume data\ndevice /dev/vdb\nbytes 1073741824\n";
        const [again, made] = await did({ backups, restores, recreate: ["data"] }, restored);
        assert.deepEqual(again, ["storage.volumes", ...onFolders, "storage.unused"]);
        disks = ours;
        const wished = { backups, restores, recreate: ["data"] };
        const [nothing] = await did(wished, made);
        assert.deepEqual(nothing, []);
        // killed behind mkfs: the machine's journal has lost these steps, and the state is from before
        for (const step of onFolders) delete fleet.node("st1").agent.journal[step];
        const [resumed] = await did(wished, restored);
        assert.deepEqual(resumed, onFolders);
    });

    it("refuses a foreign disk at preview and before the first step, and names what is on it", async () => {
        disks += "signature ext4,1-2,theirs\n";
        assert.match(await failures({}, inputs()), /volume data .*ext4 label theirs/);
        await assert.rejects(storageMachine.create(inputs(), listener()), /FOREIGN_VOLUME[\s\S]*label theirs/);
        assert.deepEqual(begun(), []);
    });

    it("does not replace a volume that is lost by an empty one, unless by name", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        assert.match(
            await failures(outs, inputs({ volumes: { data: sampleVolume({ owner: "", sizeGiB: 1 }) } })),
            /VOLUME_LOST/,
        );
        await assert.rejects(
            storageMachine.update(id, outs, inputs({ threads: 9 }), listener()),
            /recreate: \["data"\]/,
        );
        await storageMachine.update(id, outs, inputs({ threads: 9, recreate: ["data"] }), listener());
        // Known by the machine alone: the state was lost, or the run that made it was killed.
        disks += "made\n";
        await assert.rejects(storageMachine.create(inputs(), listener()), /VOLUME_LOST/);
        disks = ours;
        await storageMachine.update(id, outs, inputs({ threads: 10 }), listener());
    });

    it("is not asked for its disks at preview while values are unknown, and warns if it does not answer", async () => {
        const unknown = inputs({}, { connection: unknownValue as never });
        assert.equal(storageMachine.needsCheckInCloud!({}, unknown), false);
        await fleet.node("st1").powerOff();
        const context = listener();
        assert.deepEqual((await storageMachine.checkInCloud!({}, inputs(), context)).failures, []);
        assert.match(context.warned.join(), /disks cannot be looked at now/);
    });

    it("keeps an export that a claim uses: refused at preview and at the moment of action, allowed by name", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        disks = ours;
        usedBy("/exports/data/sub");
        assert.match(await failures(outs, without()), /export \/exports\/data is used by claim web\/c1/);
        await assert.rejects(storageMachine.update(id, outs, without(), listener()), /DATA_IN_USE[\s\S]*claim web\/c1/);
        await assert.rejects(storageMachine.update(id, outs, without(), listener()), error => {
            assert.equal(String(error).match(/DATA_IN_USE/g)?.length, 1, "not an error within an error");
            return true;
        });
        const before = begun().length;
        await storageMachine.update(id, outs, without({ force: ["data"] }), listener());
        assert.ok(begun().length > before);
    });

    it("keeps it also after a run that failed half way: what may still be served is guarded still", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        disks = ours;
        fleet.node("st1").agent.failStep("storage.folders", 99);
        const failed = await storageMachine.update(id, outs, without(), listener()).then(
            () => assert.fail("the step fails"),
            error => error as { properties: typeof outs },
        );
        fleet.node("st1").agent.failStep("storage.folders", 0);
        usedBy("/exports/data");
        const olds = failed.properties;
        assert.equal(storageMachine.needsCheckInCloud!(olds, without()), true);
        assert.match(await failures(olds, without()), /DATA_IN_USE|is used by claim web\/c1/);
        await assert.rejects(storageMachine.update(id, olds, without(), listener()), /DATA_IN_USE/);
        usedBy("/elsewhere");
        const { outs: done } = await storageMachine.update(id, olds, without(), listener());
        assert.equal(done.served, undefined);
    });

    it("may be made on an empty disk after a run whose mkfs failed: nothing was lost", async () => {
        const { id, outs } = await storageMachine.create(inputs({ volumes: {}, exports: {} }), listener());
        fleet.node("st1").agent.failStep("storage.volumes", 99);
        const failed = await storageMachine.update(id, outs, inputs(), listener()).then(
            () => assert.fail("the step fails"),
            error => error as { properties: typeof outs },
        );
        fleet.node("st1").agent.failStep("storage.volumes", 0);
        await storageMachine.update(id, failed.properties, inputs(), listener());
    });

    it("asks the machine for clients that are no nodes: their cluster does not know them", async () => {
        const nodes = { w1: ["10.0.0.21"] };
        const { id, outs } = await storageMachine.create(inputs({}, { clients: nodes }), listener());
        disks = ours;
        connected = "10.0.0.21\n10.0.0.99\n";
        const work = storageMachine.update(id, outs, without({ clients: nodes }), listener());
        await assert.rejects(
            work,
            /DATA_IN_USE[\s\S]*clients are connected, and may use it: 10\.0\.0\.99;[\s\S]*Unmount it on these clients[\s\S]*force: \["\/exports\/data"\]/,
        );
        connected = "10.0.0.21\n";
        await storageMachine.update(id, outs, without({ clients: nodes }), listener());
    });

    it("keeps an export that nodes would lose to a list of clients", async () => {
        const exports = { "/exports/data": sampleExport({ clients: [], registeredClients: true }) };
        const { id, outs } = await storageMachine.create(inputs({ exports }), listener());
        disks = ours;
        usedBy("/exports/data");
        await assert.rejects(storageMachine.update(id, outs, inputs(), listener()), /is used by claim web\/c1/);
        const clients = { w1: ["10.0.0.21"] };
        await storageMachine.update(id, outs, inputs({}, { clients }), listener());
    });

    it("may get a volume of the cloud that is not attached yet, and none in the place of another", async () => {
        const cloud = (disk: string, recreate: string[] = []) =>
            inputs({ volumes: { data: sampleVolume({ owner: "", disk }) }, recreate });
        disks = "volume data\nabsent\n";
        assert.equal(await failures({}, cloud("cinder:1")), "");
        const why = (recreate: string[] = []) =>
            storageMachine
                .check(cloud("cinder:1"), cloud("cinder:2", recreate), listener())
                .failures!.map(({ reason }) => reason)
                .join("\n");
        assert.match(why(), /volumes\.data\.volumeId: the volume is cinder:1, and would be cinder:2/);
        assert.equal(why(["data"]), "");
    });

    it("serves a lost volume that a snapshot brings back with its data; a copy beside it is refused", async () => {
        const from = (disk: string, snapshotId?: string) => {
            const volume = { ...sampleVolume({ owner: "", disk }), ...(snapshotId !== undefined && { snapshotId }) };
            return inputs({ volumes: { data: volume } });
        };
        disks = "volume data\ndevice /dev/vdb\nbytes 1073741824\n";
        const { id, outs } = await storageMachine.create(from("cinder:1"), listener());
        const news = from("cinder:2", "s1");
        assert.deepEqual(checkAs("StorageMachine", outs, news, listener()).failures, []);
        disks = `${ours}twin /dev/vdc\n`;
        await assert.rejects(storageMachine.update(id, outs, news, listener()), /FOREIGN_VOLUME[\s\S]*detach the copy/);
        disks = ours;
        const before = begun().length;
        const again = await storageMachine.update(id, outs, news, listener());
        assert.deepEqual(begun().slice(before), ["storage.volumes", "storage.folders", "storage.exports"]);
        assert.equal(storageMachine.diff(id, again.outs, from("cinder:2")).changes, false, "snapshotId may go");
        disks = "volume data\ndevice /dev/vdb\nbytes 1073741824\n";
        await assert.rejects(storageMachine.update(id, outs, news, listener()), /VOLUME_LOST/, "of an empty volume");
    });

    it("that was half taken away is given back by the next run, or set up again after a refresh", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        disks = ours;
        fleet.node("st1").agent.failStep("storage.leave", 1);
        runFacts(listener()).did.beganToEnd.add(owner);
        await assert.rejects(
            storageMachine.delete(id, outs, listener()),
            /storage\.leave|give the storage server back/,
        );
        await endRun();
        const { props } = await storageMachine.read(id, outs, listener());
        assert.deepEqual(Object.keys(props!.done), ["host.cloud-init"]);
        assert.equal(storageMachine.diff(id, props!, inputs()).changes, true);
        runFacts(listener()).did.beganToEnd.add(owner);
        await storageMachine.delete(id, outs, listener());
        const { agent } = fleet.node("st1");
        assert.equal(agent.acts.filter(act => act.id === "storage.leave").length, 2);
        assert.equal(agent.belongsTo, undefined);
    });

    it("that was given up goes also if it cannot be unmounted", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        fleet.node("st1").agent.failStep("storage.leave", 99);
        const context = listener();
        await withGivenUp("store-12345678/st1", () => storageMachine.delete(id, outs, context));
        assert.match(context.warned.join("\n"), /given up, and not all of ours was taken from it/);
    });

    it("of no cluster is not taken from clients that are connected", async () => {
        const own = (more: Partial<StorageMachineInputs> = {}) => {
            const { access: _, ...others } = inputs({}, more);
            return others;
        };
        const { id, outs } = await storageMachine.create(own(), listener());
        const fewer = { ...own(), spec: { ...own().spec, exports: {} } };
        assert.equal(await failures(outs, fewer), "", "nobody is connected");
        connected = "10.0.0.21\n10.0.0.22\n";
        assert.match(
            await failures(outs, fewer),
            /export \/exports\/data: these clients are connected.*10\.0\.0\.21, 10\.0\.0\.22/,
        );
        assert.equal(await failures(outs, { ...fewer, force: ["/exports/data"] }), "");
        await assert.rejects(storageMachine.update(id, outs, fewer, listener()), /DATA_IN_USE/);
        await assert.rejects(storageMachine.delete(id, outs, listener()), /DATA_IN_USE/);
        await fleet.node("st1").powerOff();
        assert.match(await failures(outs, fewer), /who mounts it cannot be asked, so it counts as used/);
    });

    it("counts a folder that another one replaces at the same path as removed", async () => {
        const { outs } = await storageMachine.create(inputs(), listener());
        usedBy("/exports/data");
        const moved = inputs({ exports: { "/exports/data": sampleExport({ folder: "other" }) } });
        assert.match(await failures(outs, moved), /claim web\/c1/);
        assert.equal(await failures(outs, inputs({ threads: 99 })), "");
    });

    it("is not removed while a claim uses it, also while the cluster does not answer; with the whole cluster it goes", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        usedBy("/exports/data");
        await assert.rejects(storageMachine.delete(id, outs, listener()), /claim web\/c1/);
        await api.stop();
        await assert.rejects(
            storageMachine.delete(id, outs, listener()),
            /cannot be asked[\s\S]*NFV_GIVE_UP=store-12345678\/st1 pulumi destroy/,
        );
        assert.ok(!begun().includes("storage.leave"));
        runFacts(listener()).did.beganToEnd.add(owner);
        await storageMachine.delete(id, outs, listener());
        assert.ok(fleet.node("st1").agent.belongsTo === undefined, "its journal is gone");
        api = await FakeApi.start();
    });

    it("is not left for one at another address while a claim uses it: clients do not follow", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        usedBy("/exports/data");
        const moved = inputs({ address: "10.0.0.99" });
        assert.deepEqual(storageMachine.diff(id, outs, moved).replaces, ["spec"]);
        assert.match(await failures(outs, moved), /claim web\/c1/);
        checkAs("StorageMachine", outs, moved, listener());
        await assert.rejects(storageMachine.delete(id, outs, listener()), /claim web\/c1/);
    });

    it("of a cloud is given back with its server, and not for one at another address while a claim uses it", async () => {
        const server = { cloud: {}, id: "s1" } as never;
        const { id, outs } = await storageMachine.create(inputs({}, { serverId: "s1" }), listener());
        usedBy("/exports/data");
        const state = { ...outs, server: outs.server ?? server };
        checked(listener(), "OperationStart", { spec: { clusterId: owner, storage: true } } as object);
        checkAs("StorageMachine", outs, inputs({ address: "10.0.0.99" }), listener());
        await assert.rejects(storageMachine.delete(id, state, listener()), /claim web\/c1/);
    });

    it("takes no access from who is connected", async () => {
        const served = (...clients: string[]) => ({ exports: { "/exports/data": sampleExport({ clients }) } });
        const { outs } = await storageMachine.create(inputs(served("10.1.0.0/24", "10.2.0.7")), listener());
        connected = "10.1.0.7\n";
        for (const fits of [served("10.1.0.0/24"), served("10.1.0.0/16"), served("10.1.0.7")])
            assert.equal(await failures(outs, inputs(fits)), "");
        assert.match(await failures(outs, inputs(served("10.2.0.7"))), /access to \/exports\/data: .*10\.1\.0\.7/);
        assert.equal(await failures(outs, inputs(served("10.2.0.7"), { force: ["data"] })), "");
        await fleet.node("st1").powerOff();
        assert.equal(await failures(outs, inputs(served("10.1.0.0/16", "10.2.0.7"))), "", "nobody loses anything");
    });

    it("asks at a destroy of its cluster who else uses what it serves to others", async () => {
        const exports = { "/exports/data": sampleExport({ clients: ["10.1.0.0/24"] }) };
        const { id, outs } = await storageMachine.create(inputs({ exports }), listener());
        runFacts(listener()).did.beganToEnd.add(owner);
        connected = "10.1.0.7\n";
        await assert.rejects(storageMachine.delete(id, outs, listener()), /DATA_IN_USE.*10\.1\.0\.7/s);
        connected = "";
        await storageMachine.delete(id, outs, listener());
    });

    it("does not take an empty disk for its volume where the same run took the machine away, whatever the new address", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        const moved = inputs({ address: "10.0.0.99" });
        checkAs("StorageMachine", outs, moved, listener());
        await storageMachine.delete(id, outs, listener());
        await assert.rejects(storageMachine.create(moved, listener()), /VOLUME_LOST/);
        await storageMachine.create(inputs({ address: "10.0.0.99", recreate: ["data"] }), listener());
    });

    it("is given back and set up again by --replace, also while it is used, and lists what it keeps when it goes", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        usedBy("/exports/data");
        checkAs("StorageMachine", outs, inputs(), listener());
        const context = listener();
        await storageMachine.delete(id, outs, context);
        assert.deepEqual(context.warned, []);
        disks = ours;
        const again = await storageMachine.create(inputs(), listener());
        assert.notEqual(again.id, id, "its clients are registered again");
        await endRun();
        runFacts(listener()).did.beganToEnd.add(owner);
        const last = listener();
        await storageMachine.delete(again.id, again.outs, last);
        assert.match(
            last.warned.join(),
            /volumes keep their data: data on \/dev\/disk\/by-id\/virtio-data \(owner store-12345678\)/,
        );
    });

    it("runs again what a refresh saw changed, whatever the machine's journal says", async () => {
        const { id, outs } = await storageMachine.create(inputs(), listener());
        fleet.node("st1").onScript(({ stdin }) => {
            const text = stdin.toString();
            if (text.includes("look-at-disks")) return { stdout: ours };
            const lines = plan(storageSteps, outs.spec, "key").map(({ id: step }) =>
                step === "storage.exports"
                    ? `\x1e${step}\x1f0\nnfs-server.service does not run\n`
                    : `\x1e${step}\x1f0\n\n`,
            );
            return text.includes("observe-exports") ? { stdout: lines.join("") } : {};
        });
        const { props } = await storageMachine.read(id, outs, listener());
        assert.deepEqual(props!.pending, ["serve the exports"]);
        assert.equal(storageMachine.diff(id, props!, inputs()).changes, true);
        const before = begun().filter(step => step === "storage.exports").length;
        await storageMachine.update(id, props!, inputs(), listener());
        assert.equal(begun().filter(step => step === "storage.exports").length, before + 1);
    });

    describe("on another machine in its place", () => {
        const clients = { w1: ["10.0.0.21"], w2: ["10.0.0.22", "fd00::22"] };
        const rebuild = () => {
            const { agent } = fleet.node("st1");
            for (const step of Object.keys(agent.journal)) delete agent.journal[step];
            agent.belongsTo = undefined;
            agent.scripts = {};
            disks = ours;
        };
        const announced = () => fleet.node("st1").agent.scripts["storage.announced"] ?? "";

        it("lets the clients in before it serves, and only there", async () => {
            const { id, outs } = await storageMachine.create(inputs({}, { serverId: "a", clients }), listener());
            assert.doesNotMatch(announced(), /w1 10\.0\.0\.21/);
            const others = inputs({}, { serverId: "a", clients: { w3: ["10.0.0.23"] } });
            assert.equal(storageMachine.diff(id, outs, others).changes, false);
            const news = inputs({}, { serverId: "b", clients });
            for (const serverId of ["b", unknownValue])
                assert.deepEqual(storageMachine.diff(id, outs, { ...news, serverId }).replaces, ["serverId"]);
            await endRun();
            checkAs("StorageMachine", outs, news, listener());
            await storageMachine.delete(id, outs, listener());
            rebuild();
            const again = await storageMachine.create(news, listener());
            assert.match(announced(), /w1 10\.0\.0\.21\nw2 10\.0\.0\.22 fd00::22/);
            assert.equal(storageMachine.diff(id, again.outs, news).changes, false);
        });

        it("is made again in the same run if its server is replaced by name, before its own check: pods wait", async () => {
            const server = { cloud: {} };
            const { id, outs } = await storageMachine.create(inputs({}, { serverId: "a" }), listener());
            usedBy("/exports/data");
            const old = { ...outs, server };
            await assert.rejects(storageMachine.delete(id, old, listener()), /DATA_IN_USE/);
            const spec = { clusterId: owner, clusterName: "core", backEnd: "nova", nodes: {}, storage: true };
            checked(listener(), "OperationStart", { spec } as object);
            await storageMachine.delete(id, old, listener());
            assert.ok(fleet.node("st1").agent.belongsTo === undefined, "it was unmounted in order");
        });

        it("expects the data of its volumes: an empty disk is another one", async () => {
            const { id, outs } = await storageMachine.create(inputs({}, { serverId: "a" }), listener());
            await endRun();
            const [empty, news] = [disks, inputs({}, { serverId: "b" })];
            checkAs("StorageMachine", outs, news, listener());
            await storageMachine.delete(id, outs, listener());
            rebuild();
            disks = empty;
            const lost = await storageMachine.create(news, listener()).then(
                () => assert.fail("it is lost"),
                error => error as { code: string; properties: typeof outs },
            );
            assert.equal(lost.code, "VOLUME_LOST");
            await endRun();
            const next = storageMachine.update(id, lost.properties, news, listener());
            await assert.rejects(next, /VOLUME_LOST/, "the next run knows, too");
            assert.deepEqual(fleet.node("st1").agent.journal, {});
        });

        it("is set up by a refresh that finds it blank, with its clients", async () => {
            const { id, outs } = await storageMachine.create(inputs({}, { clients }), listener());
            rebuild();
            const { props } = await storageMachine.read(id, outs, listener());
            assert.ok(props!.pending!.includes("serve the exports"));
            await storageMachine.update(id, props!, inputs({}, { clients }), listener());
            assert.match(announced(), /w1 10\.0\.0\.21/);
        });

        it("goes with its server where it does not answer; a machine of the user's does not", async () => {
            api.objects.set("/api/v1/persistentvolumes", { items: [] });
            const exports = { "/exports/data": sampleExport({ clients: [], registeredClients: true }) };
            const { outs } = await storageMachine.create(inputs({ exports }), listener());
            await fleet.node("st1").powerOff();
            await endRun();
            await assert.rejects(storageMachine.delete("", outs, listener()), /CONNECT_FAILED/);
            const context = listener();
            await storageMachine.delete("", { ...outs, server: { cloud: {} } }, context);
            assert.match(context.warned.join("\n"), /not unmounted[\s\S]*its server is deleted/);
            assert.match(context.warned.join("\n"), /volumes keep their data/);
        });
    });

    describe("and its clients", () => {
        const client = (addresses = ["10.0.0.21"]): StorageClientInputs => ({
            owner,
            server: "st1",
            serverId: "x",
            connection: { ...fleet.target("st1"), connectTimeoutSeconds: 3 },
            client: "w1",
            addresses,
        });

        it("are registered where the server is ours, and taken away; at another address only after the node has left", async () => {
            await storageMachine.create(inputs(), listener());
            const { id, outs } = await storageClient.create(client(), listener());
            assert.match(acts.at(-1)!, /register-client\.sh[\s\S]*10\.0\.0\.21|10\.0\.0\.21[\s\S]*register-client\.sh/);
            assert.equal(storageClient.diff(id, outs, client()).changes, false);
            const moved = client(["10.0.0.22"]);
            const change = storageClient.diff(id, outs, moved);
            assert.deepEqual([change.replaces, change.deleteBeforeReplace], [["addresses"], false]);
            const { outs: later } = await storageClient.create(moved, listener());
            await storageClient.delete(id, outs, listener());
            const said = acts.map(text => [
                /^ENTRY='?([^'\n]*)/m.exec(text)![1],
                /^ADDRESSES='?([^'\n]*)/m.exec(text)![1],
            ]);
            assert.deepEqual(said, [
                [outs.entry, "10.0.0.21"],
                [later.entry, "10.0.0.22"],
                [outs.entry, ""],
            ]);
            assert.notEqual(later.entry, outs.entry);
            const again = (await storageClient.create(client(), listener())).outs;
            assert.notEqual(
                again.entry,
                outs.entry,
                "one that goes takes nothing from its successor at the same address",
            );
        });

        it("get no access on a machine that is no server of ours, and need no removal there", async () => {
            await assert.rejects(storageClient.create(client(), listener()), /no storage server of ours/);
            await storageClient.delete("id", { ...client(), entry: "w1_1" }, listener());
            assert.deepEqual(begun(), []);
        });

        it("keep their access until the server can be asked", async () => {
            await storageMachine.create(inputs(), listener());
            await fleet.node("st1").powerOff();
            await assert.rejects(
                storageClient.delete("id", { ...client(), entry: "w1_1" }, listener()),
                /CONNECT_FAILED/,
            );
        });
    });
});
