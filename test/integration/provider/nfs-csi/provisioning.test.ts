import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { driverName, leftBehind, nfsCsiDriver } from "../../../../provider/nfs-csi/driver";
import { nfsStorageClass } from "../../../../provider/nfs-csi/storage-classes";
import { pathOf } from "../../../../provider/resources/owned-objects";
import {
    type StorageClassSetInputs,
    type StorageClassSetState,
    storageClassSet,
} from "../../../../provider/resources/storage-class-set";
import { inUse } from "../../../../provider/resources/storage-users";
import { claimPatience } from "../../../../provider/resources/until-unused";
import type { KubeObject } from "../../../../provider/vim";
import { resolveTool } from "../../../../tools/resolver";
import { skipIf } from "../../../support/skip";
import { endRun, listener } from "../../../unit/provider/resources/cluster";
import { RealApi, until } from "./real-api";

const share = "/exports/data";
const volumes = "/api/v1/persistentvolumes";
const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const mountOptions = ["hard", "nfsvers=4.1"];

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
describe("claims of a storage class", function () {
    this.timeout(300_000);
    let api: RealApi;
    let outs: StorageClassSetState;
    let id: string;

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
        driver: nfsCsiDriver({}),
        force: [],
        timeoutSeconds: 120,
    });
    const all = () => [
        classOf("gone", "Delete", "delete"),
        classOf("kept", "Delete", "archive"),
        classOf("held", "Retain", "retain"),
    ];
    /** What nodes would say of the driver's pods. */
    const sayRunning = async () => {
        for (const object of nfsCsiDriver({}).filter(({ kind }) => ["Deployment", "DaemonSet"].includes(kind))) {
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
    const bound = async (name: string, storageClassName: string): Promise<any> => {
        const spec = { storageClassName, accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } };
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
        const addOns = await resolveTool("add-ons").catch((error: Error) => error);
        skipIf(this, addOns instanceof Error && addOns.message);
        const { programs } = addOns as Exclude<typeof addOns, Error>;
        api = await RealApi.start();
        mkdirSync(exported(), { recursive: true });
        writeFileSync(exported("of-others"), "untouched");
        const making = storageClassSet.create(inputs(all()), listener());
        await Promise.race([making, sayRunning()]);
        ({ id, outs } = await making);
        const bin = join(api.folder, "bin");
        mkdirSync(bin);
        writeFileSync(join(bin, "mount"), standIn, { mode: 0o755 });
        writeFileSync(join(api.folder, "mounts"), "");
        const socket = join(api.folder, "csi.sock");
        const pod = (nfsCsiDriver({}).find(({ kind }) => kind === "Deployment") as any).spec.template.spec;
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
        const account = `/api/v1/namespaces/kube-system/serviceaccounts/${pod.serviceAccountName}/token`;
        const { status } = await api.client.post<{ status: { token: string } }>(account, {
            apiVersion: "authentication.k8s.io/v1",
            kind: "TokenRequest",
            spec: { expirationSeconds: 3600 },
        });
        const kubeconfig = `--kubeconfig=${api.kubeconfig("provisioner", status.token)}`;
        api.run("provisioner", [programs["csi-provisioner"]!, ...argsOf("csi-provisioner"), kubeconfig]);
        const resizer = (await resolveTool("csi-resizer")).programs["csi-resizer"]!;
        api.run("resizer", [resizer, ...argsOf("csi-resizer"), kubeconfig]);
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

    it("need no more rights than the driver's accounts have", () => {
        const lines = ["provisioner", "resizer"].flatMap(program => api.output(program).split("\n"));
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
        for (const object of [...outs.driver, ...Object.values(outs.classes), ...leftBehind]) {
            assert.equal(await api.client.get(pathOf(object)), undefined, pathOf(object));
        }
    });
});
