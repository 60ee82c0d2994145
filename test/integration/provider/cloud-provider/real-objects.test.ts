import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { cinderCsi } from "../../../../provider/cloud-provider/cinder-csi";
import { snapshotterRights } from "../../../../provider/cloud-provider/cinder-csi-rights";
import { cloudControllerManager } from "../../../../provider/cloud-provider/cloud-controller-manager";
import { withPartLabel } from "../../../../provider/cloud-provider/objects";
import {
    applyCinderCsiScript,
    applyPartScript,
    observeRemoved,
    removeCinderCsiScript,
    removeManagerScript,
    storageClassesScript,
} from "../../../../provider/cloud-provider/scripts";
import { storageClasses } from "../../../../provider/cloud-provider/storage-classes";
import { toYaml } from "../../../../provider/common/to-yaml";
import { pathOf } from "../../../../provider/objects/owned-objects";
import { snapshotDefinitions } from "../../../../provider/snapshots/definitions";
import type { KubeObject } from "../../../../provider/vim";
import { ownerAnnotation } from "../../../../provider/vim/ownership";
import { resolveTool } from "../../../../tools/resolver";
import { until } from "../../../support/eventually";
import { skipIf } from "../../../support/skip";
import { RealApi } from "../nfs-csi/real-api";

const spec = { clusterId: "core-1", version: "v1.36.0" };

describe("OpenStack's own parts on a real API server, by the real kubectl", () => {
    let api: RealApi;
    let folder: string;
    let kubeconfig: string;

    /** As on a control-plane node, where /etc/kubernetes/admin.conf is the administrator's. */
    const run = (script: string, env: Record<string, string>) => {
        const input = script.replaceAll("/etc/kubernetes/admin.conf", kubeconfig);
        const { PATH } = process.env;
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], {
            ...{ input, encoding: "utf8" },
            // kubectl keeps a cache in the home folder
            env: { ...env, PATH: `${folder}:${PATH}`, HOME: api.folder },
        });
        return { status, stdout, stderr };
    };
    const applied = (...objects: object[]) => {
        const { status, stderr } = run(applyPartScript, { MANIFEST: toYaml(...objects) });
        return { status, stderr };
    };
    const done = { status: 0, stderr: "" };
    /** As the step of Cinder CSI gives it. */
    const cinderStep = (snapshots: boolean) => ({
        MANIFEST: toYaml(...withPartLabel("cinder-csi", cinderCsi({ ...spec, snapshots }))),
        LEAVING: toYaml(...(snapshots ? [] : withPartLabel("cinder-csi", snapshotterRights()))),
    });
    const classes = (...names: string[]) => ({
        MANIFEST: toYaml(...storageClasses(Object.fromEntries(names.map(name => [name, {}])))),
        CLASSES: names.join(" "),
    });

    before(async function () {
        skipIf(this, existsSync("/etc/kubernetes/admin.conf") && "this machine is a control-plane node");
        api = await RealApi.start();
        folder = dirname((await resolveTool("kubernetes")).programs["kubectl"]!);
        kubeconfig = api.kubeconfig("admin", "admin-token");
    });
    after(() => api?.stop());

    for (const [title, objects] of [
        ["the cloud controller manager", cloudControllerManager(spec)],
        ["Cinder CSI", cinderCsi(spec)],
    ] as const) {
        it(`${title} is applied as it is, also over itself`, () => {
            for (let i = 0; i < 2; i++) assert.deepEqual(applied(...withPartLabel("part", objects)), done);
        });
    }

    it("Cinder CSI makes snapshots, and goes on while there are any", async () => {
        const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/pulumi-nfv:csi-cinder-snapshotter";
        const apply = (snapshots: boolean) => run(applyCinderCsiScript, cinderStep(snapshots));
        assert.deepEqual([apply(false).status, apply(true).status], [0, 0], "a cluster without the kinds has none");
        assert.ok(await api.client.get(role));
        const kinds = snapshotDefinitions();
        for (const each of kinds) await api.client.apply(pathOf(each), each);
        const contents = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";
        await until(30, async () => (await api.client.get(contents)) !== undefined);
        await api.client.post(contents, {
            apiVersion: "snapshot.storage.k8s.io/v1",
            kind: "VolumeSnapshotContent",
            metadata: { name: "c-1" },
            spec: {
                ...{ deletionPolicy: "Delete", driver: "cinder.csi.openstack.org", source: { snapshotHandle: "s1" } },
                volumeSnapshotRef: { namespace: "default", name: "nightly" },
            },
        });
        const named = /\nVolumeSnapshot default\/nightly \(VolumeSnapshotContent c-1\)\n$/;
        const refused = apply(false);
        assert.equal(refused.status, 1);
        assert.match(refused.stderr, named);
        const removal = run(removeCinderCsiScript, { ...cinderStep(true), SECONDS_TO_WAIT: "0" });
        assert.equal(removal.status, 1);
        assert.match(removal.stderr, named);
        assert.ok(await api.client.get(role));
        await api.client.delete(`${contents}/c-1`);
        const { status, stderr } = apply(false);
        assert.deepEqual([status, stderr], [0, ""]);
        assert.equal(await api.client.get(role), undefined);
        for (const each of kinds) await api.client.delete(pathOf(each));
    });

    it("stay with other programs that have our field manager: they note an owner, or have no label of ours", async () => {
        const [driver] = cinderCsi(spec) as KubeObject[];
        const theirs = { ...driver!, metadata: { name: "their.csi", annotations: { [ownerAnnotation]: "web-1" } } };
        await api.client.apply("/apis/storage.k8s.io/v1/csidrivers/their.csi", theirs);
        const manager = (cloudControllerManager(spec) as any[]).find(({ kind }) => kind === "DaemonSet");
        const upstream = structuredClone({ ...manager, metadata: { ...manager.metadata, name: "upstream" } });
        upstream.spec.template.spec.volumes[0].secret.secretName = "cloud-config";
        await api.client.apply("/apis/apps/v1/namespaces/kube-system/daemonsets/upstream", upstream);
        const ours = [
            { ...driver!, metadata: { name: "their.csi" } },
            { ...manager, metadata: { ...manager.metadata, name: "upstream" } },
        ];
        for (const some of [ours, ours.slice(0, 1), ours.slice(1)]) {
            const { status, stderr } = applied(...some);
            assert.equal(status, 1);
            assert.equal(stderr.split("\n").length, some.length + 2, stderr);
        }
        const { stdout } = run(observeRemoved.script, { MANIFEST: toYaml(...ours) });
        assert.equal(stdout, "");
    });

    it("stay with those who made them by the same names: one object or several", async () => {
        const renamed = (cinderCsi(spec) as KubeObject[])
            .filter(({ kind }) => kind === "ServiceAccount")
            .map(object => ({ ...object, metadata: { ...object.metadata, name: `their-${object.metadata.name}` } }));
        const accounts = "/api/v1/namespaces/kube-system/serviceaccounts";
        for (const { metadata, ...object } of renamed) {
            const theirs = { ...object, metadata: { name: metadata.name, labels: { app: "theirs" } } };
            await api.client.post(accounts, theirs);
        }
        for (const some of [renamed, renamed.slice(0, 1)]) {
            const { status, stderr } = applied(...some);
            assert.equal(status, 1);
            assert.match(
                stderr,
                /others made them; nothing was changed:\nServiceAccount their-csi-cinder-controller kube-system\n/,
            );
        }
    });

    it("have classes of ours only: one that others made stays as it is", async () => {
        assert.equal(run(storageClassesScript, classes("fast", "slow")).stderr, "");
        const path = "/apis/storage.k8s.io/v1/storageclasses";
        const { metadata, ...fast } = (await api.client.get<KubeObject>(`${path}/fast`))!;
        await api.client.post(path, { ...fast, metadata: { name: "copy", labels: metadata.labels } });
        assert.equal(run(storageClassesScript, classes("fast")).status, 0);
        assert.equal(await api.client.get(`${path}/slow`), undefined);
        assert.ok(await api.client.get(`${path}/copy`), "a copy by hand keeps the label");
        const other = { ...fast, metadata: { name: "other", annotations: { [ownerAnnotation]: "web-1" } } };
        await api.client.apply(`${path}/other`, other as KubeObject);
        const refused = run(storageClassesScript, classes("fast", "other"));
        assert.match(refused.stderr, /StorageClass other \n$/);
        await api.client.post(path, {
            apiVersion: "storage.k8s.io/v1",
            kind: "StorageClass",
            metadata: { name: "theirs" },
            provisioner: "example.com/theirs",
        });
        const { status, stderr } = run(storageClassesScript, classes("fast", "theirs"));
        assert.equal(status, 1);
        assert.match(stderr, /StorageClass theirs \n$/);
        assert.equal((await api.client.get<any>(`${path}/theirs`)).provisioner, "example.com/theirs");
    });

    it("make a class again that cannot be changed, and only that one", async () => {
        const path = "/apis/storage.k8s.io/v1/storageclasses";
        assert.equal(run(storageClassesScript, classes("fast", "slow")).status, 0);
        const uid = async (name: string) => (await api.client.get<KubeObject>(`${path}/${name}`))!.metadata.uid;
        const [fast, slow] = [await uid("fast"), await uid("slow")];
        const MANIFEST = toYaml(...storageClasses({ fast: { volumeType: "nvme" }, slow: {} }));
        assert.equal(run(storageClassesScript, { MANIFEST, CLASSES: "fast slow" }).status, 0);
        assert.notEqual(await uid("fast"), fast);
        assert.equal(await uid("slow"), slow);
    });

    it("let the cloud controller manager go only when no Service has a load balancer", async () => {
        const path = "/api/v1/namespaces/default/services";
        const service = {
            apiVersion: "v1",
            kind: "Service",
            metadata: { name: "web", finalizers: ["service.kubernetes.io/load-balancer-cleanup"] },
            spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
        };
        await api.client.post(path, service);
        const manifest = { MANIFEST: toYaml(...cloudControllerManager(spec)), SECONDS_TO_WAIT: "0" };
        const { status, stderr } = run(removeManagerScript, manifest);
        assert.equal(status, 1);
        assert.match(stderr, /\nService default\/web\n$/);
        await api.client.delete(`${path}/web`);
        assert.equal(run(removeManagerScript, manifest).status, 1, "its load balancer is still to be deleted");
    });

    it("let Cinder CSI go only when no claim is bound to one of its volumes", async () => {
        const volume = (driver: string) => ({
            apiVersion: "v1",
            kind: "PersistentVolume",
            metadata: { name: "pv-1" },
            spec: {
                ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "" },
                ...{ csi: { driver, volumeHandle: "v1" }, claimRef: { namespace: "default", name: "data" } },
            },
        });
        const claim = {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name: "data", namespace: "default" },
            spec: {
                ...{ accessModes: ["ReadWriteOnce"], storageClassName: "", volumeName: "pv-1" },
                resources: { requests: { storage: "1Gi" } },
            },
        };
        await api.client.post("/api/v1/persistentvolumes", volume("cinder.csi.openstack.org"));
        await api.client.post("/api/v1/namespaces/default/persistentvolumeclaims", claim);
        const phase = async () => (await api.client.get<any>("/api/v1/persistentvolumes/pv-1"))?.status?.phase;
        await until(60, async () => (await phase()) === "Bound");
        const manifest = { MANIFEST: toYaml(...cinderCsi(spec)), SECONDS_TO_WAIT: "0" };
        const { status, stderr } = run(removeCinderCsiScript, manifest);
        assert.equal(status, 1);
        assert.match(stderr, /claim default\/data \(PersistentVolume pv-1\)\n$/);
        await api.client.delete("/api/v1/namespaces/default/persistentvolumeclaims/data");
        await until(60, async () => (await phase()) !== "Bound");
        const removed = run(removeCinderCsiScript, manifest);
        assert.deepEqual([removed.status, removed.stderr], [0, ""]);
        assert.equal(run(observeRemoved.script, manifest).stdout, "");
    });
});
