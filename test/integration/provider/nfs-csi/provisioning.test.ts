import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    chmodSync,
    chownSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { driverName, leftBehind, nfsCsiDriver } from "../../../../provider/nfs-csi/driver";
import {
    type StorageClassSetInputs,
    type StorageClassSetState,
    storageClassSet,
} from "../../../../provider/nfs-csi/storage-class-set";
import { nfsStorageClass } from "../../../../provider/nfs-csi/storage-classes";
import { pathOf } from "../../../../provider/objects/owned-objects";
import { volumeSnapshotClass } from "../../../../provider/snapshots/classes";
import { leftBehind as leftByController, snapshotController } from "../../../../provider/snapshots/controller";
import { snapshotDefinitions } from "../../../../provider/snapshots/definitions";
import {
    type SnapshotClassSetInputs,
    type SnapshotClassSetState,
    snapshotClassSet,
} from "../../../../provider/snapshots/snapshot-class-set";
import { inUse } from "../../../../provider/storage/storage-users";
import { claimPatience } from "../../../../provider/storage/until-unused";
import type { KubeObject } from "../../../../provider/vim";
import { resolveTool } from "../../../../tools/resolver";
import { until } from "../../../support/eventually";
import { needsTool } from "../../../support/needs-tool";
import { skipIf } from "../../../support/skip";
import { endRun, listener } from "../../../unit/provider/support/cluster";
import { RealApi } from "./real-api";

const share = "/exports/data";
const volumes = "/api/v1/persistentvolumes";
const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const group = "snapshot.storage.k8s.io";
const snapshots = `/apis/${group}/v1/namespaces/default/volumesnapshots`;
const mountOptions = ["hard", "nfsvers=4.1"];
const driver = nfsCsiDriver({ snapshots: true });
const controller = snapshotController({});

/** Mounts the folder of this machine that replaces the server's, and notes how it was asked. */
const standIn = `#!/bin/sh
echo "$@" >>"$MOUNT_LOG"
while [ $# -gt 2 ]; do shift; done
exec /bin/mount --bind "$MOUNT_ROOT\${1#*:}" "$2"
`;

const whyNot = () =>
    [
        { when: process.getuid?.() !== 0, why: "only root may mount" },
        { when: spawnSync("unshare", ["-m", "true"]).status !== 0, why: "mount namespaces are not allowed here" },
    ].find(row => row.when)?.why;

/** The real driver and its real provisioner, with the rights and flags of our manifests. Only mount -t nfs and the nodes are stand-ins. */
describe("claims of a storage class", () => {
    let api: RealApi;
    let outs: StorageClassSetState;
    let id: string;
    let snapshotOuts: SnapshotClassSetState;

    const exported = (...names: string[]) => join(api.folder, "server", share, ...names);
    const folders = () => readdirSync(exported()).sort();
    const mounts = () => readFileSync(join(api.folder, "mounts"), "utf8").trim().split("\n");
    const classOf = (name: string, reclaimPolicy: string, onDelete: string) =>
        nfsStorageClass(name, { server: "10.0.0.31", share, isDefault: false, mountOptions, reclaimPolicy, onDelete });
    const inputs = (classes: KubeObject[]): StorageClassSetInputs => ({
        name: "core",
        owner: "core-1",
        clusterId: "core-1",
        access: api.access,
        classes: Object.fromEntries(classes.map(each => [each.metadata.name, each])),
        driver: driver,
        force: [],
        timeoutSeconds: 120,
    });
    const all = () => [
        classOf("gone", "Delete", "delete"),
        classOf("kept", "Delete", "archive"),
        classOf("held", "Retain", "retain"),
    ];
    const snapshotInputs = (): SnapshotClassSetInputs => ({
        ...{ name: "core", owner: "core-1", clusterId: "core-1", access: api.access, timeoutSeconds: 120 },
        classes: {
            snap: volumeSnapshotClass("snap", { driver: driverName, deletionPolicy: "Delete", isDefault: true }),
        },
        definitions: snapshotDefinitions(),
        controller,
    });
    /** What nodes would say of the pods. */
    const sayRunning = async (objects: readonly KubeObject[]) => {
        for (const object of objects.filter(({ kind }) => ["Deployment", "DaemonSet"].includes(kind))) {
            const path = `${pathOf(object)}/status`;
            const status =
                object.kind === "Deployment"
                    ? { observedGeneration: 9, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
                    : {
                          ...{ observedGeneration: 9, numberReady: 1, currentNumberScheduled: 1 },
                          ...{ desiredNumberScheduled: 1, numberMisscheduled: 0 },
                      };
            await until(120, async () => (await api.client.get(pathOf(object))) !== undefined);
            await api.client.apply(path, { ...object, spec: undefined, status });
        }
    };
    /** Makes a claim; returns its volume when it is bound. */
    const bound = async (name: string, storageClassName: string, dataSource?: object): Promise<any> => {
        const resources = { requests: { storage: "1Gi" } };
        const spec = { storageClassName, accessModes: ["ReadWriteMany"], resources, dataSource };
        await api.client.post(claims, {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name, namespace: "default" },
            spec,
        });
        const found = () => api.client.get<any>(`${claims}/${name}`);
        await until(
            60,
            async () => (await found())?.status?.phase === "Bound",
            () => api.output("provisioner").slice(-3000),
        );
        return api.client.get(`${volumes}/${(await found()).spec.volumeName}`);
    };
    const folderOf = ({ spec }: any): string => spec.csi.volumeAttributes.subDir ?? spec.csi.volumeAttributes.subdir;
    const write = (volume: any, text: string) => writeFileSync(exported(folderOf(volume), "file"), text);
    const isGone = (path: string) =>
        until(
            60,
            async () => (await api.client.get(path)) === undefined,
            () => api.output("provisioner").slice(-3000),
        );
    const release = async (name: string) => {
        await api.client.delete(`${claims}/${name}`);
        await isGone(`${claims}/${name}`);
    };

    before(async function () {
        skipIf(this, whyNot());
        const { programs } = await needsTool(this, "add-ons");
        api = await RealApi.start();
        mkdirSync(exported(), { recursive: true });
        writeFileSync(exported("of-others"), "untouched");
        const makingSnapshots = snapshotClassSet.create(snapshotInputs(), listener());
        await Promise.race([makingSnapshots, sayRunning(controller)]);
        snapshotOuts = (await makingSnapshots).outs;
        const making = storageClassSet.create(inputs(all()), listener());
        await Promise.race([making, sayRunning(driver)]);
        ({ id, outs } = await making);
        const bin = join(api.folder, "bin");
        mkdirSync(bin);
        writeFileSync(join(bin, "mount"), standIn, { mode: 0o755 });
        writeFileSync(join(api.folder, "mounts"), "");
        const socket = join(api.folder, "csi.sock");
        const pod = (driver.find(({ kind }) => kind === "Deployment") as any).spec.template.spec;
        const argsOf = (container: string): string[] =>
            pod.containers
                .find(({ name }: { name: string }) => name === container)
                .args.map((arg: string) => arg.replace("/csi/csi.sock", socket).replace("$(NODE_ID)", "node"));
        api.run(
            "driver",
            [
                "unshare",
                "-m",
                "--propagation",
                "private",
                programs["nfsplugin"]!,
                ...argsOf("nfs"),
                `--working-mount-dir=${api.folder}/work`,
            ],
            {
                PATH: `${bin}:${process.env["PATH"]}`,
                MOUNT_ROOT: join(api.folder, "server"),
                MOUNT_LOG: join(api.folder, "mounts"),
            },
        );
        const kubeconfigOf = async (account: string) => {
            const path = `/api/v1/namespaces/kube-system/serviceaccounts/${account}/token`;
            const { status } = await api.client.post<{ status: { token: string } }>(path, {
                apiVersion: "authentication.k8s.io/v1",
                kind: "TokenRequest",
                spec: { expirationSeconds: 3600 },
            });
            return `--kubeconfig=${api.kubeconfig(account, status.token)}`;
        };
        const kubeconfig = await kubeconfigOf(pod.serviceAccountName);
        api.run("provisioner", [programs["csi-provisioner"]!, ...argsOf("csi-provisioner"), kubeconfig]);
        const resizer = (await resolveTool("csi-resizer")).programs["csi-resizer"]!;
        api.run("resizer", [resizer, ...argsOf("csi-resizer"), kubeconfig]);
        const { programs: snapshotter } = await resolveTool("external-snapshotter");
        api.run("snapshotter", [snapshotter["csi-snapshotter"]!, ...argsOf("csi-snapshotter"), kubeconfig]);
        const [container] = (controller.find(({ kind }) => kind === "Deployment") as any).spec.template.spec.containers;
        api.run("snapshot-controller", [
            snapshotter["snapshot-controller"]!,
            ...container.args,
            await kubeconfigOf("snapshot-controller"),
        ]);
    });
    after(async () => {
        api?.stop();
        await endRun();
    });

    it("are bound to a folder of the export that the driver makes, mounted as the class says", async () => {
        const volume = await bound("one", "gone");
        assert.equal(folderOf(volume), `default-one-${volume.metadata.name}`);
        assert.ok(existsSync(exported(folderOf(volume))));
        assert.deepEqual(volume.spec.mountOptions, mountOptions);
        assert.equal(volume.spec.csi.volumeAttributes.server, "10.0.0.31");
        assert.match(mounts()[0]!, /-t nfs -o hard,nfsvers=4\.1 10\.0\.0\.31:\/exports\/data /);
    });

    it("count as users of the export, of their class and of the driver, by name", async () => {
        const export_ = { addresses: ["10.0.0.31"], path: share };
        const leaving = [{ what: `export ${share}`, names: ["data"], asked: { export: export_ } }];
        const question = { leaving, access: api.access, force: [], node: "storage" };
        assert.match((await inUse(question))!.message, /export \/exports\/data is used by claim default\/one \(/);
        claimPatience.seconds = 0;
        const refused =
            /StorageClass gone is used by claim default\/one[\s\S]*the NFS CSI driver is used by claim default\/one/;
        await assert.rejects(storageClassSet.delete(id, outs, listener()), refused);
        assert.ok(await api.client.get(`/apis/storage.k8s.io/v1/csidrivers/${driverName}`));
    });

    it("grow, though nothing holds them to their size", async () => {
        const path = `${claims}/one`;
        const grown = { requests: { storage: "3Gi" } };
        const { kind, apiVersion, metadata } = (await api.client.get(path))!;
        const { name, namespace } = metadata;
        await api.client.apply(path, {
            apiVersion,
            kind,
            metadata: { name, namespace: namespace! },
            spec: { resources: grown },
        });
        const found = () => api.client.get<any>(path);
        await until(
            60,
            async () => (await found())?.status.capacity.storage === "3Gi",
            () => api.output("resizer").slice(-3000),
        );
        const { spec } = (await api.client.get<any>(`${volumes}/${(await found()).spec.volumeName}`))!;
        assert.equal(spec.capacity.storage, "3Gi");
    });

    it("lose their folder with `delete`, and nothing else goes", async () => {
        const volume = await api.client.get<any>(
            `${volumes}/${(await api.client.get<any>(`${claims}/one`))!.spec.volumeName}`,
        );
        write(volume, "data");
        await release("one");
        await isGone(`${volumes}/${volume.metadata.name}`);
        assert.deepEqual(folders(), ["of-others"]);
    });

    it("leave their data under another name with `archive`", async () => {
        const volume = await bound("two", "kept");
        write(volume, "archived data");
        await release("two");
        await isGone(`${volumes}/${volume.metadata.name}`);
        assert.deepEqual(folders(), [`archived-${folderOf(volume)}`, "of-others"]);
        assert.equal(readFileSync(exported(`archived-${folderOf(volume)}`, "file"), "utf8"), "archived data");
    });

    it("leave volume and folder with `Retain`, the folder also when somebody deletes the volume", async () => {
        const volume = await bound("three", "held");
        const path = `${volumes}/${volume.metadata.name}`;
        write(volume, "retained data");
        await release("three");
        await until(30, async () => (await api.client.get<any>(path))?.status.phase === "Released");
        const context = listener();
        const rest = { ...outs, classes: { held: outs.classes["held"]! } };
        await storageClassSet.delete(id, rest, context);
        assert.match(context.warned.join(), new RegExp(`driver stays.*${volume.metadata.name}`));
        await api.client.delete(path);
        await isGone(path);
        assert.equal(readFileSync(exported(folderOf(volume), "file"), "utf8"), "retained data");
    });

    it("keep what their class said when it is made again with another value", async () => {
        const volume = await bound("four", "gone");
        write(volume, "data");
        const news = inputs([classOf("gone", "Delete", "archive"), classOf("kept", "Delete", "archive")]);
        ({ outs } = await storageClassSet.update(id, outs, news, listener()));
        assert.equal((await api.client.get<any>(pathOf(news.classes["gone"]!)))!.parameters.onDelete, "archive");
        await release("four");
        await isGone(`${volumes}/${volume.metadata.name}`);
        assert.ok(!folders().some(name => name.includes("four")), "it was made with delete");
    });

    it("are cloned: another claim begins with their files", async () => {
        const source = await bound("five", "gone");
        write(source, "original");
        const clone = await bound("six", "gone", { kind: "PersistentVolumeClaim", name: "five" });
        assert.notEqual(folderOf(clone), folderOf(source));
        assert.equal(readFileSync(exported(folderOf(clone), "file"), "utf8"), "original");
    });

    it("have snapshots, from which other claims begin, with owner and mode of each file", async () => {
        const path = `${volumes}/${(await api.client.get<any>(`${claims}/five`))!.spec.volumeName}`;
        const source = await api.client.get<any>(path);
        chownSync(exported(folderOf(source), "file"), 1234, 1234);
        chmodSync(exported(folderOf(source), "file"), 0o600);
        const snapshot = {
            apiVersion: `${group}/v1`,
            kind: "VolumeSnapshot",
            metadata: { name: "before", namespace: "default" },
            spec: { source: { persistentVolumeClaimName: "five" } },
        };
        await api.client.post(snapshots, snapshot);
        await until(
            90,
            async () => (await api.client.get<any>(`${snapshots}/before`))?.status?.readyToUse === true,
            () => ["snapshotter", "snapshot-controller", "driver"].map(name => api.output(name).slice(-2000)).join(),
        );
        write(source, "changed since");
        const restored = await bound("seven", "gone", { apiGroup: group, kind: "VolumeSnapshot", name: "before" });
        const file = exported(folderOf(restored), "file");
        assert.equal(readFileSync(file, "utf8"), "original");
        const { uid, mode } = statSync(file);
        assert.deepEqual([uid, mode & 0o777], [1234, 0o600]);
        assert.ok(
            folders().some(name => name.startsWith("snapshot-")),
            folders().join(),
        );
    });

    it("keep driver, kinds and controller while there is a snapshot, whose name is said", async () => {
        const used = /is used by VolumeSnapshot default\/before \(VolumeSnapshotContent snapcontent-/;
        const without = { ...inputs(all()), driver: nfsCsiDriver({}), force: [driverName, "gone", "kept"] };
        await assert.rejects(storageClassSet.update(id, outs, without, listener()), used);
        const off = { ...snapshotInputs(), definitions: [], controller: [] };
        await assert.rejects(snapshotClassSet.update("id", snapshotOuts, off, listener()), used);
        await assert.rejects(snapshotClassSet.delete("id", snapshotOuts, listener()), used);
        assert.ok(await api.client.get(pathOf(snapshotDefinitions()[0]!)));
    });

    it("lose the data of a snapshot with its VolumeSnapshot, as its class says", async () => {
        await api.client.delete(`${snapshots}/before`);
        await isGone(`${snapshots}/before`);
        await until(
            60,
            () => !folders().some(name => name.startsWith("snapshot-")),
            () => folders().join(),
        );
        for (const name of ["five", "six", "seven"]) await release(name);
        await until(60, async () => (await api.client.get<any>(volumes))!.items.length === 0);
    });

    it("need no more rights than the driver's accounts have", () => {
        const lines = ["provisioner", "resizer", "snapshotter", "snapshot-controller"].flatMap(program =>
            api.output(program).split("\n"),
        );
        assert.deepEqual(
            lines.filter(line => /forbidden/i.test(line)),
            [],
        );
    });

    it("leave nothing of the driver in the cluster after the last one", async () => {
        for (const lease of leftBehind) {
            assert.ok(
                await api.client.get(pathOf(lease)),
                `the Lease ${lease.metadata.name} has the name that we know`,
            );
        }
        await storageClassSet.delete(id, outs, listener());
        const off = { ...snapshotInputs(), definitions: [], controller: [] };
        const failed = await snapshotClassSet.update("id", snapshotOuts, off, listener()).catch(error => error);
        assert.match(String(failed.message), /the cluster has no kinds of snapshots/, "classes go with their kind");
        const again = snapshotClassSet.update("id", failed.properties, snapshotInputs(), listener());
        await Promise.race([again, sayRunning(controller)]);
        const { outs: made } = await again;
        assert.ok(await api.client.get(pathOf(Object.values(made.classes)[0]!)));
        await snapshotClassSet.delete("id", made, listener());
        const support = [...snapshotOuts.definitions, ...snapshotOuts.controller, leftByController];
        for (const object of [...outs.driver, ...Object.values(outs.classes), ...leftBehind, ...support]) {
            assert.equal(await api.client.get(pathOf(object)), undefined, pathOf(object));
        }
    });
});
