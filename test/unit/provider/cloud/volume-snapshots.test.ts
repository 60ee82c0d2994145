import assert from "node:assert/strict";
import { snapshotPatience } from "../../../../provider/cloud/take-snapshot";
import {
    type VolumeSnapshotsInputs,
    type VolumeSnapshotsState,
    volumeSnapshots,
} from "../../../../provider/cloud/volume-snapshots";
import type { NfvError } from "../../../../provider/common/errors";
import { unknownValue } from "../../../../provider/contract/values";
import { checkAs, listener } from "../support/cluster";
import { orphanCloud } from "../support/orphan-cloud";
import { SnapshotCloud } from "./snapshot-cloud";

const clusterId = "core-1a2b3c4d";
const id = "core/snapshots";

const inputsOf = (
    snapshots: Record<string, { volume?: string; run: string; keep?: number }>,
    more: Partial<VolumeSnapshotsInputs> = {},
): VolumeSnapshotsInputs => ({
    ...{ clusterName: "core", clusterId, cloud: {}, project: "p1", resourceUrn: "urn:snapshots" },
    snapshots: Object.fromEntries(
        Object.entries(snapshots).map(([entry, given]) => [entry, { volume: "data", keep: 3, ...given }]),
    ),
    volumeIds: { data: "v1", logs: "v2" },
    ...more,
});
const nightly = (run: string, keep = 3, more: Partial<VolumeSnapshotsInputs> = {}) =>
    inputsOf({ nightly: { run, keep } }, more);

/** As this cluster marks one of the entry "nightly". */
const marks = (run: string, volumeId = "v1", more: Record<string, string> = {}) => ({
    "pulumi-nfv.cluster-id": clusterId,
    "pulumi-nfv.snapshot": "nightly",
    "pulumi-nfv.run": run,
    "pulumi-nfv.volume": "data",
    "pulumi-nfv.volume-id": volumeId,
    ...more,
});
const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000000`;

type Failed = NfvError & { id?: string; properties?: VolumeSnapshotsState };
const failureOf = (work: Promise<unknown>): Promise<Failed> =>
    work.then(
        () => assert.fail("it should have failed"),
        error => error as Failed,
    );

describe("snapshots of the cloud's volumes", () => {
    const { cloud, changed } = orphanCloud();
    const patience = { ...snapshotPatience };
    let there: SnapshotCloud;
    let context: ReturnType<typeof listener>;
    beforeEach(() => {
        Object.assign(snapshotPatience, { pauseSeconds: 0 });
        there = new SnapshotCloud(cloud());
        context = listener();
    });
    afterEach(() => void Object.assign(snapshotPatience, patience));

    const create = async (inputs: VolumeSnapshotsInputs) => (await volumeSnapshots.create(inputs, context)).outs;
    const update = async (olds: VolumeSnapshotsState, news: VolumeSnapshotsInputs) =>
        (await volumeSnapshots.update(id, olds, news, context)).outs;
    const changes = (olds: VolumeSnapshotsState, news: VolumeSnapshotsInputs) =>
        volumeSnapshots.diff(id, olds, news).changes;

    describe("that somebody deleted", () => {
        const refreshed = async (state: VolumeSnapshotsState) =>
            (await volumeSnapshots.read(id, state, context)).props as VolumeSnapshotsState;

        it("are found by a refresh and are no output; their word makes no other one, another word does", async () => {
            const made = await create(inputsOf({ nightly: { run: "one" }, weekly: { volume: "logs", run: "one" } }));
            assert.deepEqual(await refreshed(made), made);
            assert.deepEqual(context.warned, []);
            there.all.splice(
                there.all.findIndex(each => each.id === made.newest["nightly"]),
                1,
            );
            const state = await refreshed(made);
            assert.deepEqual(Object.keys(state.newest), ["weekly"]);
            assert.match(
                context.warned.join("\n"),
                /"core-data-nightly-one" \(new-\d\) of nightly is gone from the cloud/,
            );
            const { length } = context.warned;
            assert.deepEqual((await refreshed(state)).newest, state.newest);
            assert.equal(context.warned.length, length, "said once");
            const same = inputsOf({ nightly: { run: "one" }, weekly: { volume: "logs", run: "one" } });
            assert.equal(changes(state, same), false);
            const other = inputsOf({ nightly: { run: "two" }, weekly: { volume: "logs", run: "one" } });
            assert.deepEqual(Object.keys((await update(state, other)).newest), ["nightly", "weekly"]);
        });

        it("are not known to be gone where the cloud does not answer", async () => {
            const made = await create(nightly("one"));
            there.all.length = 0;
            there.refuses.list = { status: 503, body: {} };
            assert.deepEqual((await refreshed(made)).newest, made.newest);
            assert.match(context.warned.join("\n"), /its snapshots are not looked at/);
        });
    });

    describe("are made", () => {
        it("of a volume in use, with a mark that says whose and of what; the run waits, and says id and name", async () => {
            const state = await create(nightly("one"));
            assert.deepEqual(state.newest, { nightly: "new-1" });
            const [made] = there.all;
            assert.equal(made!.name, "core-data-nightly-one");
            assert.deepEqual([made!.volume_id, made!.metadata], ["v1", marks("one")]);
            assert.match(context.said.join("\n"), /core-data-nightly-one is creating/);
            assert.match(context.noted.join("\n"), /"core-data-nightly-one" \(new-1\) of the volume data was made/);
        });

        it("once for each word, also after the volume was made again", async () => {
            const state = await create(nightly("one"));
            assert.equal(changes(state, nightly("one")), false);
            assert.equal(changes(state, nightly("one", 3, { volumeIds: { data: "v9" } })), false);
            assert.equal(changes(state, nightly("two")), true);
            const next = await update(state, nightly("two"));
            assert.deepEqual(next.newest, { nightly: "new-2" });
            assert.deepEqual(there.ids(), ["new-1", "new-2"]);
        });

        it("again for a word that was used before others, and for an entry that comes back", async () => {
            const two = await update(await create(nightly("one")), nightly("two"));
            const again = await update(two, nightly("one"));
            assert.equal(again.newest["nightly"], "new-3");
            const gone = await update(again, inputsOf({}));
            assert.deepEqual(gone.newest, {});
            assert.equal((await update(gone, nightly("one"))).newest["nightly"], "new-4");
        });

        it("of several entries in one run; where one fails, the others are noted", async () => {
            const both = inputsOf({ nightly: { run: "one" }, weekly: { volume: "logs", run: "one" } });
            there.fullVolume = "v1";
            const failure = await failureOf(create(both));
            assert.deepEqual([failure.code, failure.id], ["SNAPSHOT_FAILED", id]);
            assert.deepEqual(failure.properties!.newest, { weekly: "new-1" });
            assert.equal(changes(failure.properties!, both), true);
            there.fullVolume = undefined;
            const { newest } = await update(failure.properties!, both);
            assert.deepEqual(newest, { nightly: "new-2", weekly: "new-1" });
        });

        it("of several entries, with all causes where several fail", async () => {
            there.refuses.post = { status: 413, body: { overLimit: { message: "full" } } };
            const both = inputsOf({ nightly: { run: "one" }, weekly: { volume: "logs", run: "one" } });
            const { message } = await failureOf(create(both));
            assert.match(
                message,
                /^snapshot nightly: SNAPSHOT_FAILED\n.*volume v1: .*full\n.*snapshot weekly: .*volume v2/,
            );
        });

        it("with a name that Cinder takes, however long the words are", async () => {
            await create(nightly("one", 3, { clusterName: "c".repeat(250) }));
            assert.equal(there.all[0]!.name!.length, 255);
        });
    });

    describe("of a killed run", () => {
        for (const status of ["available", "creating"]) {
            it(`are taken over: ${status}`, async () => {
                there.has("killed", { metadata: marks("one"), created_at: at(1), status });
                if (status === "creating") {
                    cloud().routes["GET /block-storage/snapshots/killed"] = (_: unknown, times: number) => ({
                        body: {
                            snapshot: { ...there.all[0], status: times > 2 ? "available" : "creating" },
                        },
                    });
                }
                assert.deepEqual((await create(nightly("one"))).newest, { nightly: "killed" });
                assert.deepEqual(changed(), []);
                assert.match(context.noted.join(), new RegExp(`made at ${at(1)}, by a run that did not`));
            });
        }

        it("are not those of another cluster, entry, word or volume, nor one that a run has recorded", async () => {
            const others = {
                "pulumi-nfv.cluster-id": "core-ffffffff",
                "pulumi-nfv.snapshot": "weekly",
                "pulumi-nfv.run": "two",
                "pulumi-nfv.volume": "logs",
            };
            for (const [key, value] of Object.entries(others))
                there.has(key, { metadata: marks("one", "v1", { [key]: value }), created_at: at(1) });
            there.has("without", { metadata: {}, created_at: at(1) });
            assert.deepEqual((await create(nightly("one"))).newest, { nightly: "new-6" });
        });

        it("are not there in a cluster without an id: an empty one is that of no snapshot", async () => {
            there.has("foreign", { metadata: marks("one", "v1", { "pulumi-nfv.cluster-id": "" }), created_at: at(1) });
            await create(nightly("one", 1, { clusterId: "" }));
            assert.deepEqual(there.ids(), ["foreign", "new-2"]);
        });
    });

    describe("that fail", () => {
        it("fail the run with what the cloud says, and are deleted before the next attempt", async () => {
            there.statuses = ["creating", "error"];
            cloud().routes["GET /block-storage/messages"] = { messages: [{ user_message: "no space left" }] };
            const failure = await failureOf(create(nightly("one")));
            assert.match(failure.message, /^snapshot nightly: SNAPSHOT_FAILED/);
            assert.match(failure.reason, /"core-data-nightly-one" \(new-1\) is error\nno space left/);
            there.statuses = ["available"];
            const state = await update(failure.properties!, nightly("one"));
            assert.deepEqual([there.all.length, there.all[0]!.status], [1, "available"]);
            assert.equal(state.made["nightly"]!.run, "one");
            assert.deepEqual(changed().slice(1), [
                "DELETE /block-storage/snapshots/new-1",
                "POST /block-storage/snapshots",
            ]);
        });

        it("stay where another cluster made them, or where they were whole once", async () => {
            const state = await create(nightly("one"));
            there.has("foreign", {
                ...{ created_at: at(1), status: "error" },
                metadata: marks("two", "v1", { "pulumi-nfv.cluster-id": "core-ffffffff" }),
            });
            there.all[0]!.status = "error";
            await update(state, nightly("two"));
            assert.deepEqual(there.ids(), ["new-1", "foreign", "new-3"]);
        });

        it("fail the run where the cloud refuses to make one; a cloud that does not answer has its own error", async () => {
            there.refuses.post = { status: 413, body: { overLimit: { message: "SnapshotLimitExceeded" } } };
            const failure = await failureOf(create(nightly("one")));
            assert.equal(failure.code, "SNAPSHOT_FAILED");
            assert.match(failure.reason, /volume v1: POST \/snapshots of block-storage: 413 SnapshotLimitExceeded/);
            there.refuses.post = { status: 500 };
            assert.equal((await failureOf(create(nightly("one")))).code, "CLOUD_UNREACHABLE");
        });

        it("fail the run where they take too long, or are deleted meanwhile; the next run waits for the same one", async () => {
            there.statuses = ["creating"];
            snapshotPatience.minutes = 0;
            const failure = await failureOf(create(nightly("one")));
            assert.match(failure.message, /is creating after 0 minutes[\s\S]*goes on with the same snapshot/);
            cloud().routes["GET /block-storage/snapshots/new-1"] = {
                snapshot: { ...there.all[0], status: "available" },
            };
            assert.deepEqual((await update(failure.properties!, nightly("one"))).newest, { nightly: "new-1" });
            delete cloud().routes["GET /block-storage/snapshots/new-1"];
            there.all[0]!.status = "creating";
            assert.match((await failureOf(create(nightly("one")))).message, /new-1 is not there any more/);
        });

        it("end with the run", async () => {
            there.statuses = ["creating"];
            snapshotPatience.pauseSeconds = 60;
            const stop = new AbortController();
            setTimeout(() => stop.abort(), 100);
            const failure = await failureOf(
                volumeSnapshots.create(nightly("one"), { ...context, signal: stop.signal }),
            );
            assert.equal(failure.name, "AbortError");
        });
    });

    describe("beyond `keep`", () => {
        const former = () => {
            for (const [second, volumeId] of [
                [1, "v1"],
                [2, "v1"],
                [3, "v0"],
                [4, "v1"],
            ] as const)
                there.has(`s${second}`, {
                    ...{ created_at: at(second), volume_id: volumeId },
                    metadata: marks(`r${second}`, volumeId),
                });
        };

        it("go, the oldest first; those of a former volume stay and do not count", async () => {
            former();
            await create(nightly("one", 2));
            assert.deepEqual(there.ids(), ["s3", "s4", "new-5"]);
        });

        it("go only when a new one is there: another number alone deletes nothing", async () => {
            former();
            const state = await create(nightly("one", 5));
            assert.equal(changes(state, nightly("one", 1)), true, "the state follows");
            await update(state, nightly("one", 1));
            assert.equal(there.all.length, 5);
            there.statuses = ["error"];
            await failureOf(update(state, nightly("two", 1)));
            assert.equal(there.all.filter(({ status }) => status === "available").length, 5);
        });

        it("are never those of others: another cluster, another entry, no mark", async () => {
            for (const key of ["pulumi-nfv.cluster-id", "pulumi-nfv.snapshot", "pulumi-nfv.volume-id"])
                there.has(key, { metadata: marks("r1", "v1", { [key]: "other" }), created_at: at(1) });
            there.has("by hand", { metadata: {}, created_at: at(1) });
            there.has("moved", { metadata: marks("r1"), volume_id: "v7", created_at: at(1) });
            await create(nightly("one", 1));
            assert.equal(there.all.length, 6);
        });

        it("stay with a warning where the cloud keeps them, as for a volume that was made from one", async () => {
            former();
            there.refuses.delete = { status: 400, body: { badRequest: { message: "has dependent volumes" } } };
            const state = await create(nightly("one", 3));
            assert.equal(state.newest["nightly"], "new-5");
            assert.match(context.warned.join("\n"), /"s1" \(s1\) stays: .*has dependent volumes/);
        });

        it("stay where they cannot be listed", async () => {
            former();
            there.refusesSecondList = { status: 403 };
            await create(nightly("one", 1));
            assert.equal(there.all.length, 5);
            assert.match(context.warned.join("\n"), /none was deleted: GET \/snapshots\/detail of block-storage: 403/);
        });
    });

    it("are not made where those that exist cannot be listed: a killed run may have made one", async () => {
        there.refuses.list = { status: 403 };
        assert.equal((await failureOf(create(nightly("one")))).code, "CLOUD_REFUSED");
        assert.deepEqual(changed(), []);
    });

    it("are neither made nor left in another project", async () => {
        for (const work of [
            () => create(nightly("one", 3, { project: "p2" })),
            () =>
                volumeSnapshots.delete(id, { ...nightly("one", 3, { project: "p2" }), made: {}, newest: {} }, context),
        ])
            assert.equal((await failureOf(work())).code, "CLOUD_CONFIG_INVALID");
        assert.deepEqual(changed(), []);
    });

    describe("stay, and are named", () => {
        it("when their entry leaves the program", async () => {
            const both = await create(inputsOf({ nightly: { run: "one" }, weekly: { volume: "logs", run: "one" } }));
            const asked = cloud().calls.length;
            const state = await update(both, nightly("one"));
            assert.ok(cloud().calls.length > asked);
            assert.deepEqual(state.newest, { nightly: both.newest["nightly"] });
            const said = context.noted.at(-1)!;
            assert.match(said, /core: these snapshots stay in the cloud:\ncore-logs-weekly-one \(new-\d\)\n/);
            assert.doesNotMatch(said, /nightly/);
            assert.equal(there.all.length, 2);
        });

        it("when the storage or the cluster goes, also those that the state does not know", async () => {
            const state = await create(nightly("one"));
            there.has("older", { metadata: marks("zero"), created_at: at(1) });
            there.has("foreign", { metadata: {}, created_at: at(1) });
            await volumeSnapshots.delete(id, state, listener(context.session));
            const told = listener();
            await volumeSnapshots.delete(id, state, told);
            assert.match(told.noted.join(), /core-data-nightly-one \(new-1\)\nolder \(older\)\nTo delete one/);
            assert.doesNotMatch(told.noted.join(), /foreign/);
            assert.equal(there.all.length, 3);
        });

        it("as the state has them, where the cloud does not answer", async () => {
            const state = await create(nightly("one"));
            there.refuses.list = there.refusesSecondList = { status: 403 };
            const told = listener();
            await volumeSnapshots.delete(id, state, told);
            assert.match(told.warned.join(), /not all of its snapshots are listed/);
            assert.match(told.noted.join(), /core-data-nightly-one \(new-1\)/);
        });

        it("not when the resource is replaced by name: the next one takes them over", async () => {
            const state = await create(nightly("one"));
            checkAs("VolumeSnapshots", {}, nightly("one"), context);
            await volumeSnapshots.delete(id, state, context);
            assert.equal(context.noted.length, 1);
            assert.deepEqual((await create(nightly("one"))).newest, state.newest);
        });
    });

    it("are planned at preview also where the id of the volume is not known yet", () => {
        const unknown = nightly("one", 3, { volumeIds: unknownValue as never });
        assert.deepEqual(checkAs("VolumeSnapshots", {}, unknown, context).failures, []);
        const state = { ...nightly("one"), made: {}, newest: {} };
        assert.equal(
            changes({ ...state, made: { nightly: { run: "one", id: "a", name: "a", createdAt: "" } } }, unknown),
            false,
        );
        assert.equal(changes(state, unknown), true);
        assert.equal(changes(state, nightly("one", 3, { clusterName: unknownValue })), true);
    });
});
