import assert from "node:assert/strict";
import { runFacts } from "../../../../provider/contract/run-facts";
import { driverName, leftBehind, nfsCsiDriver } from "../../../../provider/nfs-csi/driver";
import { type StorageClassSetInputs, storageClassSet } from "../../../../provider/nfs-csi/storage-class-set";
import { nfsStorageClass } from "../../../../provider/nfs-csi/storage-classes";
import { pathOf } from "../../../../provider/objects/owned-objects";
import { claimPatience } from "../../../../provider/storage/until-unused";
import { ownerAnnotation } from "../../../../provider/vim/ownership";
import { endRun, listener, withGivenUp } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

const fields = { server: "10.0.0.31", share: "/exports/data", isDefault: false, mountOptions: ["hard"] };
const storageClass = (name: string, onDelete = "archive") =>
    nfsStorageClass(name, { ...fields, reclaimPolicy: "Delete", onDelete });
/** The fake stores what is applied, and a cluster would set the status. */
const running = { availableReplicas: 1, updatedReplicas: 1, numberReady: 1 };
const driver = nfsCsiDriver({}).map(each => ("spec" in each ? { ...each, status: running } : each));
const csiDriver = driver[0]!;
const controller = driver.find(({ kind }) => kind === "Deployment")!;

describe("the storage classes of a cluster", () => {
    let api: FakeApi;
    const inputs = (names: string[], more: Partial<StorageClassSetInputs> = {}): StorageClassSetInputs => ({
        name: "core",
        owner: "core-1",
        clusterId: "core-1",
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        classes: Object.fromEntries(names.map(name => [name, storageClass(name)])),
        driver,
        force: [],
        timeoutSeconds: 2,
        ...more,
    });
    const made = async (names: string[]) => storageClassSet.create(inputs(names), listener());
    const volume = (name: string, className: string, phase: string, policy = "Delete") => ({
        metadata: { name },
        spec: {
            storageClassName: className,
            persistentVolumeReclaimPolicy: policy,
            csi: { driver: driverName, volumeAttributes: {} },
            claimRef: { namespace: "web", name: "c" },
        },
        status: { phase },
    });
    const has = (...items: object[]) => api.objects.set("/api/v1/persistentvolumes", { items });
    const runs = () => {
        const claim = { name: "d", persistentVolumeClaim: { claimName: "c" } };
        const pod = { metadata: { name: "db-0", namespace: "web" }, spec: { volumes: [claim] } };
        api.objects.set("/api/v1/pods", { items: [pod] });
    };
    const isThere = (object: typeof csiDriver) => api.objects.has(pathOf(object));
    const preview = async (olds: Partial<StorageClassSetInputs>, news: StorageClassSetInputs) =>
        (await storageClassSet.checkInCloud!(olds, news, listener())).failures.map(({ reason }) => reason).join();
    const requests = (method: string) => api.seen.filter(each => each.method === method).map(({ path }) => path);

    beforeEach(async () => {
        claimPatience.seconds = 0;
        api = await FakeApi.start();
        has();
        api.objects.set("/api/v1/pods", { items: [] });
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
    });

    it("come with their driver, all with our mark", async () => {
        const { id, outs } = await made(["fast"]);
        for (const object of [...driver, storageClass("fast")]) {
            const { metadata } = api.objects.get(pathOf(object)) as any;
            assert.equal(metadata.annotations[ownerAnnotation], "core-1", pathOf(object));
        }
        assert.equal(storageClassSet.diff(id, outs, inputs(["fast"])).changes, false);
    });

    it("are there when their driver runs: one that does not is an error that says why", async () => {
        const stuck = driver.map(each => ({ ...each, status: {} }));
        const waiting = { reason: "ImagePullBackOff", message: "no such image" };
        api.objects.set("/api/v1/namespaces/kube-system/pods/csi-1", {
            metadata: { name: "csi-1" },
            status: { containerStatuses: [{ name: "nfs", state: { waiting } }] },
        });
        const late = inputs(["fast"], { driver: stuck, timeoutSeconds: 0.1 });
        const failed: any = await storageClassSet.create(late, listener()).catch(error => error);
        assert.match(
            failed.message,
            /Deployment csi-nfs-controller does not run:\n\s*csi-1: nfs: ImagePullBackOff: no such image/,
        );
        const { id, properties } = failed;
        assert.equal(storageClassSet.diff(id, properties, late).changes, true, "the next run goes on");
        const { outs } = await storageClassSet.update(id, properties, inputs(["fast"]), listener());
        assert.equal(storageClassSet.diff(id, outs, inputs(["fast"])).changes, false);
        await storageClassSet.delete(id, properties, listener());
        for (const object of [...driver, storageClass("fast")]) assert.ok(!isThere(object), "or it removes all");
    });

    it("are not forgotten where a run fails that was to remove some of them", async () => {
        const { id, outs } = await made(["fast", "slow"]);
        const stuck = driver.map(each => ({ ...each, status: {} }));
        const news = inputs(["slow"], { driver: stuck, timeoutSeconds: 0.1 });
        const failed: any = await storageClassSet.update(id, outs, news, listener()).catch(error => error);
        assert.deepEqual(Object.keys(failed.properties.classes).sort(), ["fast", "slow"]);
    });

    it("change nothing where somebody else has the driver, at preview and in the run, unless they are to use that", async () => {
        api.objects.set(pathOf(csiDriver), { ...csiDriver, metadata: { name: driverName } });
        assert.match(
            await preview({}, inputs(["fast"])),
            /NOT_OURS[\s\S]*CSIDriver nfs\.csi\.k8s\.io exists already: not made/,
        );
        await assert.rejects(made(["fast"]), /nfsCsi: \{ enabled: false \}/);
        assert.deepEqual(requests("PATCH"), []);
        await storageClassSet.create(inputs(["fast"], { driver: [] }), listener());
        assert.deepEqual(requests("PATCH"), [pathOf(storageClass("fast"))]);
    });

    it("never take a class of somebody else", async () => {
        const theirs = {
            ...storageClass("fast"),
            metadata: { name: "fast", annotations: { [ownerAnnotation]: "x-2" } },
        };
        api.objects.set(pathOf(theirs), theirs);
        assert.match(await preview({}, inputs(["fast"])), /StorageClass fast exists already: made by x-2/);
        await assert.rejects(made(["fast"]), /NOT_OURS/);
        await storageClassSet.delete("id", { ...inputs(["fast"]), pending: false }, listener());
        assert.ok(isThere(theirs));
    });

    it("say that claims wait where nobody has the driver", async () => {
        const context = listener();
        await storageClassSet.create(inputs(["fast"], { driver: [] }), context);
        assert.match(context.warned.join(), /no CSIDriver nfs\.csi\.k8s\.io/);
    });

    it("are refused to go while claims use them, with the names of claims and pods, unless by name", async () => {
        const { id, outs } = await made(["fast", "slow"]);
        has(volume("pvc-1", "fast", "Bound"));
        runs();
        const names = /StorageClass fast is used by claim web\/c of pod web\/db-0 \(PersistentVolume pvc-1\)/;
        assert.match(await preview(outs, inputs(["slow"])), names);
        await assert.rejects(storageClassSet.update(id, outs, inputs(["slow"]), listener()), names);
        assert.equal(await preview(outs, inputs(["fast"])), "", "the other one has no claims");
        await assert.rejects(storageClassSet.delete(id, outs, listener()), names);
        const gone = { ...outs, access: { ...outs.access, auth: { bearerToken: "wrong" } } };
        const wayOut = /cannot be asked[\s\S]*NFV_GIVE_UP=core-1\/classes:core pulumi up/;
        await assert.rejects(storageClassSet.delete(id, gone, listener()), wayOut);
        assert.ok(isThere(storageClass("fast")));
        await storageClassSet.update(id, outs, inputs(["slow"], { force: ["fast"] }), listener());
        assert.ok(!isThere(storageClass("fast")) && isThere(controller));
    });

    it("are made again where Kubernetes cannot change them, which is said, whoever uses them", async () => {
        const { id, outs } = await made(["fast"]);
        has(volume("pvc-1", "fast", "Bound"));
        const other = inputs([], { classes: { fast: storageClass("fast", "delete") } });
        const context = listener();
        assert.deepEqual((await storageClassSet.checkInCloud!(outs, other, context)).failures, []);
        assert.match(context.warned.join(), /StorageClass fast is made again: volumes .* keep/);
        const { outs: remade } = await storageClassSet.update(id, outs, other, listener());
        assert.deepEqual(requests("DELETE"), [pathOf(storageClass("fast"))]);
        assert.equal((api.objects.get(pathOf(storageClass("fast"))) as any).parameters.onDelete, "delete");
        const inPlace = { ...storageClass("fast", "delete"), mountOptions: ["soft"] };
        await storageClassSet.update(id, remade, inputs([], { classes: { fast: inPlace } }), listener());
        assert.equal(requests("DELETE").length, 1, "mount options are changed in place");
    });

    it("take their driver with them when they go, and what it made for itself", async () => {
        const { id, outs } = await made(["fast"]);
        for (const lease of leftBehind) api.objects.set(pathOf(lease), lease);
        await storageClassSet.delete(id, outs, listener());
        for (const object of [...driver, storageClass("fast"), ...leftBehind])
            assert.ok(!isThere(object), pathOf(object));
    });

    it("leave their driver while it has volumes, because somebody must unmount and delete them", async () => {
        const { id, outs } = await made(["fast"]);
        has(volume("pvc-1", "fast", "Released", "Retain"));
        const context = listener();
        await storageClassSet.delete(id, outs, context);
        assert.match(context.warned.join(), /driver stays, because it has volumes: pvc-1\. .*kubectl delete csidriver/);
        assert.ok(!isThere(storageClass("fast")) && isThere(controller));
    });

    it("wait until their driver has deleted the volumes of claims that have just gone", async () => {
        const { id, outs } = await made(["fast"]);
        claimPatience.seconds = 20;
        has(volume("pvc-1", "fast", "Released"));
        setTimeout(() => has(), 500);
        await storageClassSet.delete(id, outs, listener());
        assert.ok(!isThere(controller));
    });

    it("keep the driver for claims of classes that others made with it", async () => {
        const { id, outs } = await made(["fast"]);
        has(volume("pvc-1", "theirs", "Bound"));
        await assert.rejects(
            storageClassSet.delete(id, outs, listener()),
            /the NFS CSI driver is used by claim web\/c/,
        );
        await assert.rejects(
            storageClassSet.update(id, outs, inputs(["fast"], { driver: [] }), listener()),
            /the NFS CSI driver is used by claim web\/c/,
        );
        const forced = { ...outs, force: ["fast"] };
        await storageClassSet.delete(id, forced, listener());
        assert.ok(isThere(controller), "by force the class goes, and never the driver of living volumes");
    });

    describe("whose driver makes snapshots", () => {
        const withSnapshots = nfsCsiDriver({ snapshots: true }).map(each =>
            "spec" in each ? { ...each, status: running } : each,
        );
        const contents = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";
        const content = (name: string) => ({
            metadata: { name: "c-1" },
            spec: { driver: name, volumeSnapshotRef: { namespace: "web", name: "s" } },
        });
        const used =
            /the snapshotter of nfs\.csi\.k8s\.io is used by VolumeSnapshot web\/s \(VolumeSnapshotContent c-1\)/;

        it("keep them while there is one of it, at preview and in the run, whatever `force` names", async () => {
            const { id, outs } = await storageClassSet.create(inputs(["fast"], { driver: withSnapshots }), listener());
            api.objects.set(contents, { items: [content(driverName)] });
            const without = inputs(["fast"], { force: ["fast", driverName] });
            assert.match(await preview(outs, without), used);
            await assert.rejects(storageClassSet.update(id, outs, without, listener()), used);
            await assert.rejects(
                storageClassSet.delete(id, { ...outs, force: ["fast", driverName] }, listener()),
                used,
            );
            assert.deepEqual(requests("DELETE"), []);
        });

        it("take them away where there is none of it, with their rights", async () => {
            const { id, outs } = await storageClassSet.create(inputs(["fast"], { driver: withSnapshots }), listener());
            api.objects.set(contents, { items: [content("other.csi")] });
            const after = await storageClassSet.update(id, outs, inputs(["fast"]), listener());
            const rights = withSnapshots.filter(({ metadata }) => metadata.name.endsWith("snapshotter"));
            assert.equal(rights.length, 2);
            assert.deepEqual(requests("DELETE").sort(), rights.map(each => pathOf(each)).sort());
            assert.equal(storageClassSet.diff(id, after.outs, inputs(["fast"])).changes, false);
        });

        it("look also after a run that failed on the way: nobody knows which pods it has changed", async () => {
            const { id, outs } = await made(["fast"]);
            api.objects.set(contents, { items: [content(driverName)] });
            const failed = { ...outs, pending: true };
            await assert.rejects(storageClassSet.update(id, failed, inputs(["fast"]), listener()), used);
        });
    });

    it("go with the whole cluster without a question, and when they are given up by name", async () => {
        const { id, outs } = await made(["fast"]);
        has(volume("pvc-1", "fast", "Bound"));
        await withGivenUp("core-1/classes:core", () => storageClassSet.delete(id, outs, listener()));
        runFacts(listener()).did.beganToEnd.add("core-1");
        await storageClassSet.delete(id, outs, listener());
        assert.ok(isThere(storageClass("fast")));
    });

    it("are found missing by a refresh, and kept in the state while the cluster does not answer", async () => {
        const { id, outs } = await made(["fast", "slow"]);
        api.objects.delete(pathOf(storageClass("fast")));
        api.objects.delete(pathOf(controller));
        const { props } = await storageClassSet.read(id, outs, listener());
        assert.deepEqual(Object.keys(props!.classes), ["slow"]);
        assert.equal(props!.driver.length, driver.length - 1);
        assert.equal(storageClassSet.diff(id, props!, outs).changes, true);
        await storageClassSet.update(id, props!, outs, listener());
        assert.ok(isThere(controller) && isThere(storageClass("fast")));
        const wrong = { ...outs, access: { ...outs.access, auth: { bearerToken: "wrong" } } };
        assert.deepEqual((await storageClassSet.read(id, wrong, listener())).props, wrong);
    });
});
