import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Cnf, KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import type { StorageArgs } from "../../../../components/args/storage-args";
import { unpack } from "../../../../provider/contract/packed";
import { plannedCluster } from "../planned-cluster";
import { isSecret, type Registered, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const storage: StorageArgs = {
    server: { address: "10.99.0.200" },
    volumes: { data: { disk: "/dev/disk/by-id/virtio-data", sizeGiB: 5 } },
    exports: { "/exports/data": { volume: "data" }, "/exports/site": { volume: "data", clients: ["10.0.0.0/8"] } },
    persistentVolumes: { shared: { path: "/exports/data/shared", capacityGiB: 5 } },
};
const made = async (given: StorageArgs | undefined) =>
    (await record("up", () => new KubernetesCluster("core", clusterArgs(1, { a: 2 }, given && { storage: given }))))
        .resources;
const specOf = (resources: Registered[], label: string) =>
    unpack(registered(resources, label).inputs, ["access", "connection", "fingerprintKey"]) as any;

describe("the storage of a cluster", () => {
    it("is made before nodes: each waits for its own access, and loses it after it has left", async () => {
        const resources = await made(storage);
        for (const node of ["m1", "a-1", "a-2"]) {
            const client = registered(resources, `StorageClient core-${node}`);
            ok(client.after.includes("StorageMachine core-storage"));
            strictEqual(client.deletedWith, "StorageMachine core-storage");
            ok(registered(resources, `Node core-${node}`).after.includes(`StorageClient core-${node}`));
            const host = registered(resources, `Host core-${node}`);
            ok(host.after.includes("StorageMachine core-storage"), "it serves until all machines are reset");
        }
    });

    describe("with backups", () => {
        const backups = { nightly: { repository: { folder: "/mnt/backup" }, password: "p", run: "one" } };
        const storageClasses = { fast: { export: "/exports/data" } };
        const isOf = ({ label }: Registered) => label === "StorageBackups core-storage";

        it("begins them last: after all that is made of the cluster, which waits for none of them", async () => {
            const { resources } = await record("up", () => {
                const args = clusterArgs(3, { a: 2 }, { storage: { ...storage, storageClasses, backups } });
                const { vim } = new KubernetesCluster("core", args);
                new Cnf("upf", { vim, objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }] });
            });
            // What a resource that failed depends on is not deleted, also by way of others: then no node could leave.
            deepStrictEqual(resources.find(isOf)!.after.sort(), ["ClusterId core", "StorageMachine core-storage"]);
            const labels = resources.map(({ label }) => label);
            ok(labels.indexOf("StorageBackups core-storage") > labels.indexOf("OperationEnd core"), labels.join("\n"));
            const waiting = resources.filter(each => each.after.includes("StorageBackups core-storage"));
            deepStrictEqual(
                waiting.map(({ label }) => label),
                [],
            );
            ok(resources.some(({ label }) => label.startsWith("CnfObjects ")));
        });

        it("has nothing of them at the server but their settings; with the server they are gone", async () => {
            const resources = await made({ ...storage, backups });
            const { spec, steps } = specOf(resources, "StorageBackups core-storage");
            deepStrictEqual(Object.keys(steps), ["start the backups"]);
            deepStrictEqual(Object.keys(spec).sort(), ["backups", "clusterId", "name"]);
            strictEqual(resources.find(isOf)!.deletedWith, "StorageMachine core-storage");
            const machine = specOf(resources, "StorageMachine core-storage");
            ok("configure the backups" in machine.steps && !("start the backups" in machine.steps));
        });

        it("has none without backups", async () => {
            for (const given of [storage, { ...storage, backups: {} }]) ok(!(await made(given)).some(isOf));
        });
    });

    it("gives each node's own address access, unless an export names its clients", async () => {
        const resources = await made(storage);
        deepStrictEqual(registered(resources, "StorageClient core-a-1").inputs["addresses"], ["10.99.0.22"]);
        const { exports } = specOf(resources, "StorageMachine core-storage").spec;
        deepStrictEqual([exports["/exports/data"].registeredClients, exports["/exports/data"].clients], [true, []]);
        deepStrictEqual(
            [exports["/exports/site"].registeredClients, exports["/exports/site"].clients],
            [false, ["10.0.0.0/8"]],
        );
    });

    it("shows its steps before a cloud has made the server", async () => {
        const cloud: KubernetesClusterArgs = {
            infrastructure: { nova: { image: "debian-12", flavor: "m1.medium", externalNetwork: "public" } },
            kubernetes: { version: "1.36.3" },
            pools: { workers: { count: 1 } },
            storage: { ...storage, server: { flavor: "m1.small" }, volumes: { data: { sizeGiB: 5 } } },
        };
        const { resources } = await record("preview", () => new KubernetesCluster("core", cloud));
        const { steps, clients } = specOf(resources, "StorageMachine core-storage");
        ok(Object.values(steps).every(print => print === "to do"));
        ok(Object.keys(steps).includes("prepare the volumes"));
        deepStrictEqual(Object.keys(clients), ["core-control-plane-1", "core-workers-1"]);
    });

    it("belongs to the cluster, whose claims and pods are asked before anything goes", async () => {
        const resources = await made(storage);
        const { spec, access, connection } = specOf(resources, "StorageMachine core-storage");
        strictEqual(access.endpoint, "https://10.99.0.11:6443");
        ok(access.auth.clientKey);
        strictEqual(connection.user, "ops", "reached like all machines");
        strictEqual(spec.clusterId, specOf(resources, "ClusterNetwork core").spec.clusterId);
        ok(isSecret(registered(resources, "StorageClient core-m1").raw["connection"]));
    });

    it("has PersistentVolumes with the server's address, before the operation ends", async () => {
        const resources = await made(storage);
        const { inputs, after } = registered(resources, "PersistentVolumeSet core");
        const { shared } = inputs["volumes"] as any;
        deepStrictEqual(shared.spec.nfs, { server: "10.99.0.200", path: "/exports/data/shared" });
        ok(after.includes("Node core-m1") && after.includes("StorageMachine core-storage"));
        ok(registered(resources, "OperationEnd core").after.includes("PersistentVolumeSet core"));
    });

    it("has storage classes over its exports, with their driver, once pods can run and before the operation ends", async () => {
        const storageClasses = {
            fast: { export: "/exports/data", isDefault: true },
            held: { export: "/exports/data", reclaimPolicy: "Retain" },
        };
        const resources = await made({ ...storage, storageClasses, nfsCsi: { imageRepository: "site:5000" } });
        const { inputs, after, deletedWith, raw } = registered(resources, "StorageClassSet core");
        const { fast, held } = inputs["classes"] as any;
        const { server, share, onDelete } = fast.parameters;
        deepStrictEqual([server, share, onDelete], ["10.99.0.200", "/exports/data", "archive"]);
        deepStrictEqual([fast.mountOptions, fast.reclaimPolicy], [["hard", "nfsvers=4.1"], "Delete"]);
        deepStrictEqual([held.reclaimPolicy, held.parameters.onDelete], ["Retain", "retain"]);
        ok(JSON.stringify(inputs["driver"]).includes("site:5000/sig-storage/nfsplugin:"));
        for (const label of ["Node core-m1", "ClusterNetwork core", "StorageMachine core-storage"])
            ok(after.includes(label), label);
        strictEqual(deletedWith, "ClusterId core", "it goes with the cluster");
        ok(registered(resources, "OperationEnd core").after.includes("StorageClassSet core"));
        ok(isSecret(raw["access"]));
    });

    it("installs no driver without storage classes, nor where somebody else has it", async () => {
        const labels = (await made({ ...storage, storageClasses: {} })).map(({ label }) => label);
        ok(!labels.includes("StorageClassSet core"));
        const given = { ...storage, storageClasses: { fast: { export: "/exports/data" } }, nfsCsi: { enabled: false } };
        deepStrictEqual(registered(await made(given), "StorageClassSet core").inputs["driver"], []);
    });

    describe("with snapshot classes", () => {
        const storageClasses = { fast: { export: "/exports/data" } };
        const withSnapshots = { ...storage, storageClasses, snapshotClasses: { snap: { deletionPolicy: "Retain" } } };

        it("has the kinds of snapshots before the driver that makes them, and before the operation ends", async () => {
            const resources = await made(withSnapshots);
            const { inputs, after, deletedWith, raw } = registered(resources, "SnapshotClassSet core");
            const { snap } = inputs["classes"] as any;
            deepStrictEqual([snap.driver, snap.deletionPolicy], ["nfs.csi.k8s.io", "Retain"]);
            deepStrictEqual([(inputs["definitions"] as object[]).length, deletedWith], [3, "ClusterId core"]);
            for (const label of ["Node core-m1", "ClusterNetwork core"]) ok(after.includes(label), label);
            ok(isSecret(raw["access"]));
            const classes = registered(resources, "StorageClassSet core");
            ok(classes.after.includes("SnapshotClassSet core"));
            ok(JSON.stringify(classes.inputs["driver"]).includes("csi-snapshotter"));
            ok(registered(resources, "OperationEnd core").after.includes("SnapshotClassSet core"));
        });

        it("has nothing of them without a class", async () => {
            const resources = await made({ ...withSnapshots, snapshotClasses: {} });
            ok(!resources.some(({ label }) => label.startsWith("SnapshotClassSet")));
            const { inputs } = registered(resources, "StorageClassSet core");
            ok(!JSON.stringify(inputs["driver"]).includes("csi-snapshotter"));
        });

        it("uses the kinds and the controller of somebody else where that is said", async () => {
            const snapshotController = { enabled: false };
            const args = clusterArgs(1, { a: 1 }, { storage: withSnapshots, snapshotController });
            const { resources } = await record("up", () => new KubernetesCluster("core", args));
            const { inputs } = registered(resources, "SnapshotClassSet core");
            deepStrictEqual([inputs["definitions"], inputs["controller"]], [[], []]);
        });
    });

    it("downloads through the cluster's proxy, whose login stays secret", async () => {
        const proxy = { httpProxy: "http://u:canary-proxy@site:3128" };
        const program = () => new KubernetesCluster("core", clusterArgs(1, { a: 1 }, { storage, proxy }));
        const { resources } = await record("up", program);
        deepStrictEqual(specOf(resources, "StorageMachine core-storage").spec.proxy, proxy);
        const { secrets, ...plain } = registered(resources, "StorageMachine core-storage").raw;
        ok(isSecret(secrets) && !JSON.stringify(plain).includes("canary-proxy"));
    });

    it("mounts version 3 where the server is asked for it", async () => {
        const resources = await made({ ...storage, nfs3: true });
        const { shared } = registered(resources, "PersistentVolumeSet core").inputs["volumes"] as any;
        deepStrictEqual(shared.spec.mountOptions, ["hard", "nfsvers=3"]);
    });

    it("fills the address into manifests only where their source is an export of this server", async () => {
        const manifest = (name: string, path: string) =>
            `apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: ${name} }\nspec: { nfs: { path: ${path}, server: 192.0.2.1 } }\n`;
        const resources = await made({
            ...storage,
            persistentVolumeManifests: [manifest("ours", "/exports/data/x"), manifest("theirs", "/exports/database")],
        });
        const { ours, theirs } = registered(resources, "PersistentVolumeSet core").inputs["volumes"] as any;
        deepStrictEqual([ours.spec.nfs.server, theirs.spec.nfs.server], ["10.99.0.200", "192.0.2.1"]);
    });

    it("is the NFS client alone where it is empty, and nothing where it is not given", async () => {
        const labels = (resources: Registered[]) =>
            resources.map(({ label }) => label).filter(label => /^(Storage|PersistentVolumeSet)/.test(label));
        deepStrictEqual(labels(await made({})), []);
        deepStrictEqual(labels(await made(undefined)), []);
        const hasClient = (given?: StorageArgs) =>
            plannedCluster(
                clusterArgs(
                    1,
                    { a: 1 },
                    { kubernetes: { version: "1.36.3", source: { apt: {} } }, ...(given && { storage: given }) },
                ),
            )
                .steps.filter(({ step }) => step.id === "host.nfs-client")
                .map(({ place }) => place);
        deepStrictEqual(hasClient({}), ["m1", "a-1"]);
        deepStrictEqual(hasClient(), []);
    });
});
