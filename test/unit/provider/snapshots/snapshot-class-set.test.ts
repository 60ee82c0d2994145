import assert from "node:assert/strict";
import { runFacts } from "../../../../provider/contract/run-facts";
import { driverName } from "../../../../provider/nfs-csi/driver";
import { pathOf } from "../../../../provider/objects/owned-objects";
import { volumeSnapshotClass } from "../../../../provider/snapshots/classes";
import { leftBehind, snapshotController } from "../../../../provider/snapshots/controller";
import { snapshotDefinitions } from "../../../../provider/snapshots/definitions";
import { type SnapshotClassSetInputs, snapshotClassSet } from "../../../../provider/snapshots/snapshot-class-set";
import { claimPatience } from "../../../../provider/storage/until-unused";
import type { KubeObject } from "../../../../provider/vim";
import { ownerAnnotation } from "../../../../provider/vim/ownership";
import { checkAs, endRun, listener, withGivenUp } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

const root = "/apis/snapshot.storage.k8s.io/v1";
const classOf = (name: string) =>
    volumeSnapshotClass(name, { driver: driverName, deletionPolicy: "Delete", isDefault: false });
/** The fake stores what is applied, and a cluster would set the status. */
const established = { conditions: [{ type: "Established", status: "True" }] };
const definitions = snapshotDefinitions().map(each => ({ ...each, status: established }));
const running = { availableReplicas: 1, updatedReplicas: 1 };
const controller = snapshotController({}).map(each => ("spec" in each ? { ...each, status: running } : each));
const deployment = controller.find(({ kind }) => kind === "Deployment")!;

describe("the snapshot classes of a cluster", () => {
    let api: FakeApi;
    const inputs = (names: string[], more: Partial<SnapshotClassSetInputs> = {}): SnapshotClassSetInputs => ({
        ...{ name: "core", owner: "core-1", clusterId: "core-1", timeoutSeconds: 2 },
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        classes: Object.fromEntries(names.map(name => [name, classOf(name)])),
        ...{ definitions, controller },
        ...more,
    });
    const off = { definitions: [], controller: [] };
    const made = async (names = ["snap"]) => snapshotClassSet.create(inputs(names), listener());
    const isThere = (object: KubeObject) => api.objects.has(pathOf(object));
    const requests = (method: string) => api.seen.filter(each => each.method === method).map(({ path }) => path);
    const has = (plural: string, ...items: object[]) => api.objects.set(`${root}/${plural}`, { items });
    const content = (name: string, snapshot: string) => ({
        metadata: { name },
        spec: { driver: "any.csi", volumeSnapshotRef: { namespace: "web", name: snapshot } },
    });
    const pending = { metadata: { namespace: "web", name: "late" } };
    const preview = async (olds: Partial<SnapshotClassSetInputs>, news: SnapshotClassSetInputs) =>
        (await snapshotClassSet.checkInCloud!(olds, news, listener())).failures.map(({ reason }) => reason).join();

    beforeEach(async () => {
        claimPatience.seconds = 0;
        api = await FakeApi.start();
        for (const path of ["/api/v1/persistentvolumes", "/api/v1/pods"]) api.objects.set(path, { items: [] });
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
    });

    it("come with the kinds, which are served before anything uses them, and their controller: all with our mark", async () => {
        const { id, outs } = await made();
        const all = [...definitions, ...controller, classOf("snap")];
        for (const object of all) {
            const { metadata } = api.objects.get(pathOf(object)) as any;
            assert.equal(metadata.annotations[ownerAnnotation], "core-1", pathOf(object));
        }
        assert.deepEqual(
            requests("PATCH"),
            all.map(each => pathOf(each)),
        );
        assert.equal(snapshotClassSet.diff(id, outs, inputs(["snap"])).changes, false);
    });

    it("wait for a kind, and say why it is not served", async () => {
        const names = { type: "NamesAccepted", status: "False", message: "the short name vs is taken" };
        const refused = definitions.map(each => ({ ...each, status: { conditions: [names] } }));
        const late = inputs(["snap"], { definitions: refused, timeoutSeconds: 0.1 });
        const failed: any = await snapshotClassSet.create(late, listener()).catch(error => error);
        assert.match(failed.message, /volumesnapshots\.\S+ is not established: the short name vs is taken/);
        assert.equal(snapshotClassSet.diff(failed.id, failed.properties, late).changes, true, "the next run goes on");
        assert.ok(!isThere(classOf("snap")));
    });

    for (const [what, object] of [
        ["kind", definitions[1]!],
        ["controller", deployment],
    ] as const) {
        it(`change nothing where somebody else has a ${what}, at preview and in the run`, async () => {
            api.objects.set(pathOf(object), { ...object, metadata: { name: object.metadata.name } });
            assert.match(await preview({}, inputs(["snap"])), /NOT_OURS[\s\S]*exists already: not made by pulumi-nfv/);
            await assert.rejects(made(), /snapshotController: \{ enabled: false \}/);
            assert.deepEqual(requests("PATCH"), []);
        });
    }

    it("use the kinds of somebody else where that is said, and never delete them", async () => {
        for (const each of definitions)
            api.objects.set(pathOf(each), { ...each, metadata: { name: each.metadata.name } });
        has("volumesnapshotclasses");
        const { id, outs } = await snapshotClassSet.create(inputs(["snap"], off), listener());
        assert.deepEqual(requests("PATCH"), [pathOf(classOf("snap"))]);
        has("volumesnapshotcontents", content("c-1", "s"));
        await snapshotClassSet.delete(id, outs, listener());
        assert.ok(!isThere(classOf("snap")) && definitions.every(isThere));
    });

    it("go from our kinds to those of others: classes are not noted that went with their kind, and others' snapshots hold nothing up", async () => {
        const { id, outs } = await made();
        const none = inputs(["snap"], off);
        const failed: any = await snapshotClassSet.update(id, outs, none, listener()).catch(error => error);
        assert.match(String(failed.message), /the cluster has no kinds of snapshots/);
        api.objects.delete(pathOf(classOf("snap"))); // a cluster deletes it with its kind
        for (const each of definitions)
            api.objects.set(pathOf(each), { ...each, metadata: { name: each.metadata.name } });
        has("volumesnapshotclasses");
        has("volumesnapshotcontents", content("c-1", "s"));
        assert.equal(snapshotClassSet.diff(id, failed.properties, none).changes, true);
        assert.equal(await preview(failed.properties, none), "");
        const { outs: after } = await snapshotClassSet.update(id, failed.properties, none, listener());
        assert.ok(isThere(classOf("snap")) && definitions.every(isThere));
        assert.equal(snapshotClassSet.diff(id, after, none).changes, false);
    });

    it("are handed over with their snapshots when the mark is taken from the kinds; what is ours leaves, also at destroy", async () => {
        const { id, outs } = await made();
        has("volumesnapshotcontents", content("c-1", "s"));
        has("volumesnapshotclasses");
        for (const each of definitions)
            api.objects.set(pathOf(each), { ...each, metadata: { name: each.metadata.name } });
        await snapshotClassSet.update(id, outs, inputs(["snap"], off), listener());
        assert.ok(isThere(classOf("snap")) && definitions.every(isThere) && !isThere(deployment));
        await snapshotClassSet.delete(id, outs, listener());
        assert.ok(!isThere(classOf("snap")) && definitions.every(isThere));
    });

    it("say what is missing where nobody has the kinds", async () => {
        const alone = snapshotClassSet.create(inputs(["snap"], off), listener());
        await assert.rejects(alone, /INVALID_INPUT[\s\S]*the cluster has no kinds of snapshots/);
    });

    it("change and go one by one; snapshots keep what they said", async () => {
        const { id, outs } = await made(["snap", "other"]);
        has("volumesnapshotcontents", content("c-1", "s"));
        await snapshotClassSet.update(id, outs, inputs(["other"]), listener());
        assert.ok(!isThere(classOf("snap")) && isThere(classOf("other")) && definitions.every(isThere));
    });

    const users: [string, string, object, RegExp][] = [
        [
            "a snapshot",
            "volumesnapshotcontents",
            content("c-1", "s"),
            /VolumeSnapshot web\/s \(VolumeSnapshotContent c-1\)/,
        ],
        ["a snapshot that is not made yet", "volumesnapshots", pending, /VolumeSnapshot web\/late/],
        [
            "a class that others made, which would go with its kind",
            "volumesnapshotclasses",
            { metadata: { name: "theirs" } },
            /VolumeSnapshotClass theirs, which others made/,
        ],
    ];
    for (const [what, plural, object, named] of users) {
        it(`never take the kinds away while there is ${what}, at preview and in each run, by no name`, async () => {
            const { id, outs } = await made();
            has(plural, object);
            assert.match(await preview(outs, inputs(["snap"], off)), named);
            await assert.rejects(snapshotClassSet.update(id, outs, inputs(["snap"], off), listener()), named);
            await assert.rejects(snapshotClassSet.delete(id, outs, listener()), named);
            assert.deepEqual(requests("DELETE"), []);
        });
    }

    it("never take the kinds away where that cannot be asked", async () => {
        const { id, outs } = await made();
        const silent = { ...outs, access: { ...outs.access, auth: { bearerToken: "wrong" } } };
        await assert.rejects(
            snapshotClassSet.delete(id, silent, listener()),
            /cannot be asked, so it counts as used[\s\S]*NFV_GIVE_UP=core-1\/snapshots:core pulumi up/,
        );
        assert.ok(definitions.every(isThere));
    });

    it("look again before each kind: a snapshot may be made meanwhile", async () => {
        const { id, outs } = await made();
        // made as soon as the first kind is gone
        const watch = setInterval(() => {
            if (!isThere(definitions[0]!)) has("volumesnapshotcontents", content("c-2", "fast"));
        }, 1);
        try {
            await assert.rejects(snapshotClassSet.delete(id, outs, listener()), /VolumeSnapshot web\/fast/);
        } finally {
            clearInterval(watch);
        }
        assert.ok(isThere(definitions[1]!) && isThere(deployment), "the controller leaves last");
    });

    it("leave nothing where there is no snapshot, the controller last", async () => {
        const { id, outs } = await made();
        api.objects.set(pathOf(leftBehind), leftBehind);
        await snapshotClassSet.delete(id, outs, listener());
        for (const object of [...definitions, ...controller, classOf("snap"), leftBehind]) assert.ok(!isThere(object));
        const order = requests("DELETE");
        assert.ok(order.indexOf(pathOf(deployment)) > order.indexOf(pathOf(definitions[2]!)));
    });

    it("stay as they are when they are replaced while there are snapshots", async () => {
        const { id, outs } = await made();
        has("volumesnapshotcontents", content("c-1", "s"));
        const context = listener();
        const urn = "urn:pulumi:a::b::c::core";
        checkAs("SnapshotClassSet", {}, { ...inputs(["snap"]), resourceUrn: urn }, context);
        await snapshotClassSet.delete(id, { ...outs, resourceUrn: urn }, context);
        assert.match(context.warned.join(), /the kinds of snapshots stay as they are/);
        assert.deepEqual(requests("DELETE"), []);
    });

    it("go with the whole cluster without a question, and when they are given up by name", async () => {
        const { id, outs } = await made();
        has("volumesnapshotcontents", content("c-1", "s"));
        await withGivenUp("core-1/snapshots:core", () => snapshotClassSet.delete(id, outs, listener()));
        runFacts(listener()).did.beganToEnd.add("core-1");
        await snapshotClassSet.delete(id, outs, listener());
        assert.deepEqual(requests("DELETE"), []);
    });

    it("are found missing by a refresh, and kept in the state while the cluster does not answer", async () => {
        const { id, outs } = await made();
        api.objects.delete(pathOf(definitions[0]!));
        const { props } = await snapshotClassSet.read(id, outs, listener());
        assert.equal(props!.definitions.length, 2);
        assert.equal(snapshotClassSet.diff(id, props!, inputs(["snap"])).changes, true);
        const wrong = { ...outs, access: { ...outs.access, auth: { bearerToken: "wrong" } } };
        assert.deepEqual((await snapshotClassSet.read(id, wrong, listener())).props, wrong);
    });
});
