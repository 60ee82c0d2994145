import assert from "node:assert/strict";
import { runFacts } from "../../../../provider/contract/run-facts";
import {
    type PersistentVolumeSetInputs,
    type PersistentVolumeSetState,
    persistentVolumeSet,
} from "../../../../provider/storage/persistent-volume-set";
import { claimPatience } from "../../../../provider/storage/until-unused";
import { ownerAnnotation } from "../../../../provider/vim/ownership";
import { endRun, listener } from "../support/cluster";
import { failureOf } from "../support/three-machines";
import { FakeApi } from "../vim/fake-api";

const path = (name: string) => `/api/v1/persistentvolumes/${name}`;
const object = (name: string, capacity = "1Gi", folder = `/exports/${name}`) => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: { capacity: { storage: capacity }, nfs: { server: "10.0.0.31", path: folder } },
    // The fake stores what is applied, and a cluster would set the phase.
    status: { phase: "Available" },
});

describe("the PersistentVolumes of a cluster", () => {
    let api: FakeApi;
    const inputs = (volumes: object[], more: Partial<PersistentVolumeSetInputs> = {}): PersistentVolumeSetInputs => ({
        name: "core",
        owner: "core-1",
        clusterId: "core-1",
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        volumes: Object.fromEntries((volumes as ReturnType<typeof object>[]).map(each => [each.metadata.name, each])),
        force: [],
        timeoutSeconds: 2,
        ...more,
    });
    const bind = (name: string) => {
        const bound = {
            ...object(name),
            spec: { claimRef: { namespace: "web", name: "c" } },
            status: { phase: "Bound" },
        };
        api.objects.set("/api/v1/persistentvolumes", { items: [bound] });
        const pod = {
            metadata: { name: "db-0", namespace: "web" },
            spec: { volumes: [{ persistentVolumeClaim: { claimName: "c" } }] },
        };
        api.objects.set("/api/v1/pods", { items: [pod] });
    };
    const preview = async (olds: Partial<PersistentVolumeSetInputs>, news: PersistentVolumeSetInputs) =>
        (await persistentVolumeSet.checkInCloud!(olds, news, listener())).failures.map(({ reason }) => reason).join();

    beforeEach(async () => {
        claimPatience.seconds = 0;
        api = await FakeApi.start();
        api.objects.set("/api/v1/persistentvolumes", { items: [] });
        api.objects.set("/api/v1/pods", { items: [] });
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
    });

    it("are made with our mark, changed in place, removed when the program drops them", async () => {
        const { id, outs } = await persistentVolumeSet.create(inputs([object("a"), object("b")]), listener());
        const { metadata } = api.objects.get(path("a")) as any;
        assert.equal(metadata.annotations[ownerAnnotation], "core-1");
        assert.equal(persistentVolumeSet.diff(id, outs, inputs([object("a"), object("b")])).changes, false);
        await persistentVolumeSet.update(id, outs, inputs([object("a", "5Gi")]), listener());
        assert.equal((api.objects.get(path("a")) as any).spec.capacity.storage, "5Gi");
        assert.equal(api.objects.get(path("b")), undefined);
    });

    it("are awaited: one that fails is an error with its message", async () => {
        const failed = { ...object("a"), status: { phase: "Failed", message: "no deleter" } };
        await assert.rejects(
            persistentVolumeSet.create(inputs([failed]), listener()),
            /PersistentVolume a is Failed: no deleter/,
        );
        const pending = { ...object("a"), status: { phase: "Pending" } };
        const late = inputs([pending], { timeoutSeconds: 0.1 });
        await assert.rejects(persistentVolumeSet.create(late, listener()), /a is Pending/);
    });

    it("are not done where an update failed on its way: taken back, what it had begun goes, and the rest is as before", async () => {
        const { id, outs } = await persistentVolumeSet.create(inputs([object("a")]), listener());
        const stuck = { ...object("b"), status: { phase: "Failed", message: "no deleter" } };
        const news = inputs([object("a", "5Gi"), stuck]);
        const failure = await failureOf(persistentVolumeSet.update(id, outs, news, listener()));
        const state = failure.properties! as unknown as PersistentVolumeSetState;
        assert.deepEqual([Object.keys(state.volumes), state.pending], [["a", "b"], true]);
        assert.equal(persistentVolumeSet.diff(id, state, news).changes, true);
        const before = inputs([object("a")]);
        assert.equal(persistentVolumeSet.diff(id, state, before).changes, true);
        const { outs: back } = await persistentVolumeSet.update(id, state, before, listener());
        assert.equal((api.objects.get(path("a")) as any).spec.capacity.storage, "1Gi");
        assert.equal(api.objects.get(path("b")), undefined);
        assert.equal(persistentVolumeSet.diff(id, back, before).changes, false);
    });

    it("are known to the state where their creation failed, and unknown where nothing was made", async () => {
        const stuck = { ...object("a"), status: { phase: "Failed", message: "no deleter" } };
        const failure = await failureOf(persistentVolumeSet.create(inputs([stuck]), listener()));
        assert.equal(failure.id, "core-1/core");
        await persistentVolumeSet.delete(failure.id!, failure.properties! as never, listener());
        assert.equal(api.objects.get(path("a")), undefined);
        api.objects.set(path("a"), {
            ...object("a"),
            metadata: { name: "a", annotations: { [ownerAnnotation]: "x" } },
        });
        const refused = await failureOf(persistentVolumeSet.create(inputs([object("a")]), listener()));
        assert.equal(refused.properties, undefined);
    });

    it("say how a released one can be used again", async () => {
        const context = listener();
        await persistentVolumeSet.create(inputs([{ ...object("a"), status: { phase: "Released" } }]), context);
        assert.match(context.warned.join(), /its data is kept.*kubectl patch pv a/);
    });

    it("are refused to go while a claim uses them, at preview and at the moment of action, unless by name", async () => {
        const { id, outs } = await persistentVolumeSet.create(inputs([object("a"), object("b")]), listener());
        bind("a");
        assert.match(
            await preview(outs, inputs([object("b")])),
            /PersistentVolume a is used by claim web\/c of pod web\/db-0/,
        );
        await assert.rejects(persistentVolumeSet.update(id, outs, inputs([object("b")]), listener()), /DATA_IN_USE/);
        assert.match(await preview(outs, inputs([object("a", "1Gi", "/exports/other"), object("b")])), /claim web\/c/);
        assert.equal(await preview(outs, inputs([object("a", "9Gi"), object("b")])), "", "a size is changed in place");
        await assert.rejects(persistentVolumeSet.delete(id, outs, listener()), /claim web\/c/);
        await persistentVolumeSet.update(id, outs, inputs([object("b")], { force: ["a"] }), listener());
        assert.equal(api.objects.get(path("a")), undefined);
    });

    it("are replaced where Kubernetes cannot change them, if nobody uses them", async () => {
        const { id, outs } = await persistentVolumeSet.create(inputs([object("a")]), listener());
        await persistentVolumeSet.update(id, outs, inputs([object("a", "1Gi", "/exports/other")]), listener());
        const deleted = api.seen.filter(({ method, path: at }) => method === "DELETE" && at === path("a"));
        assert.equal(deleted.length, 1);
        assert.equal((api.objects.get(path("a")) as any).spec.nfs.path, "/exports/other");
    });

    it("never take or remove one of somebody else", async () => {
        api.objects.set(path("a"), {
            ...object("a"),
            metadata: { name: "a", annotations: { [ownerAnnotation]: "other-2" } },
        });
        assert.match(await preview({}, inputs([object("a")])), /NOT_OURS[\s\S]*made by other-2/);
        await assert.rejects(persistentVolumeSet.create(inputs([object("a")]), listener()), /NOT_OURS/);
        await persistentVolumeSet.delete("id", { ...inputs([object("a")]), pending: false }, listener());
        assert.ok(api.objects.has(path("a")));
    });

    it("have no namespace, whatever their manifests say: those of others are seen, ours are found and removed", async () => {
        const named = { ...object("a"), metadata: { name: "a", namespace: "default" } };
        api.objects.set(path("a"), object("a"));
        assert.match(await preview({}, inputs([named])), /NOT_OURS/);
        api.objects.delete(path("a"));
        const { id, outs } = await persistentVolumeSet.create(inputs([named]), listener());
        assert.ok(api.objects.has(path("a")));
        assert.deepEqual(Object.keys((await persistentVolumeSet.read(id, outs, listener())).props!.volumes), ["a"]);
        await persistentVolumeSet.delete(id, outs, listener());
        assert.ok(!api.objects.has(path("a")));
    });

    it("are found missing by a refresh, and kept in the state while the cluster does not answer", async () => {
        const { id, outs } = await persistentVolumeSet.create(inputs([object("a"), object("b")]), listener());
        api.objects.delete(path("a"));
        const { props } = await persistentVolumeSet.read(id, outs, listener());
        assert.deepEqual(Object.keys(props!.volumes), ["b"]);
        assert.equal(persistentVolumeSet.diff(id, props!, outs).changes, true);
        const wrong = { ...outs, access: { ...outs.access, auth: { bearerToken: "wrong" } } };
        assert.deepEqual((await persistentVolumeSet.read(id, wrong, listener())).props, wrong);
    });

    it("go with the whole cluster without a question", async () => {
        const { id, outs } = await persistentVolumeSet.create(inputs([object("a")]), listener());
        bind("a");
        runFacts(listener()).did.beganToEnd.add("core-1");
        await persistentVolumeSet.delete(id, outs, listener());
        assert.ok(api.objects.has(path("a")));
    });
});
