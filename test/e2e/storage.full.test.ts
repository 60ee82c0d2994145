import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { StorageArgs } from "../../components/args/storage-args";
import { ownImages } from "../../provider/common/bundle";
import { startDatabase } from "../support/database";
import { toolOrReason } from "../support/needs-tool";
import { podOn } from "../support/pod-on";
import { sharedClaim } from "../support/shared-claim";
import { skipIf } from "../support/skip";
import { fromClaim, fromSnapshot, snapshotOf } from "../support/snapshots";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { apply } from "./cluster-observed";

const gib = 2 ** 30;

/** A claim that gets a volume of its own. */
const claimOf = (name: string, storageClassName: string, size = "1Gi", dataSource?: object) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: { accessModes: ["ReadWriteMany"], storageClassName, resources: { requests: { storage: size } }, dataSource },
});

/** Each pod appends its name to a file of its own volume. */
const twoWriters = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "writer", namespace: "default" },
    spec: {
        replicas: 2,
        podManagementPolicy: "Parallel",
        serviceName: "writer",
        selector: { matchLabels: { app: "writer" } },
        template: {
            metadata: { labels: { app: "writer" } },
            spec: {
                terminationGracePeriodSeconds: 1,
                containers: [
                    {
                        name: "main",
                        image: ownImages.tools,
                        command: ["sh", "-c", "while :; do hostname >>/data/log; sync /data/log; sleep 0.5; done"],
                        volumeMounts: [{ name: "data", mountPath: "/data" }],
                    },
                ],
            },
        },
        volumeClaimTemplates: [
            {
                metadata: { name: "data" },
                spec: {
                    accessModes: ["ReadWriteOnce"],
                    storageClassName: "gone",
                    resources: { requests: { storage: "1Gi" } },
                },
            },
        ],
    },
};

describe("a cluster with a storage server", function () {
    this.timeout("12m");
    asStory(this);
    let fixture: Fixture;
    let sum: string;
    let temporary: string;
    /** Why there is no NFS CSI driver; undefined: there is one. */
    let noDriver: string | undefined;
    let snapshotClasses: NonNullable<StorageArgs["snapshotClasses"]> = { snap: { isDefault: true } };

    const storage = (changes: Partial<StorageArgs> = {}): StorageArgs => {
        const { address, hostKey } = fixture.lab.node("st1");
        const { volumes } = fixture.lab.status().find(({ name }) => name === "st1")!;
        return {
            server: { address, ssh: { hostKey } },
            volumes: { data: { disk: `/dev/disk/by-id/virtio-${volumes[0]!.id}` } },
            exports: { "/exports/data": { volume: "data" }, "/exports/claims": { volume: "data" } },
            // The lab's client has no large writes over version 4.
            nfs3: true,
            persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
            ...(noDriver === undefined && { storageClasses, snapshotClasses }),
            ...changes,
        };
    };
    const mountOptions = ["hard", "nfsvers=3"];
    const storageClasses: NonNullable<StorageArgs["storageClasses"]> = {
        gone: { export: "/exports/claims", onDelete: "delete", mountOptions },
        kept: { export: "/exports/claims", mountOptions },
    };
    const configure = async (workers: string[], changes?: Partial<StorageArgs> | "none") => {
        const args: Record<string, any> = {
            ...clusterArguments(fixture.lab, { masters: ["m1"], workers }),
            // Pods may run on both nodes.
            controlPlane: { taints: [] },
            registries: {},
            drain: { timeoutSeconds: 30, policy: "delete" },
            storage: changes === "none" ? {} : storage(changes),
        };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const phase = (pod: string) => fixture.kubectl("get", "pod", pod, "-o", "jsonpath={.status.phase}");
    const until = (pod: string, wanted: string) =>
        eventually(120, async () =>
            assert.equal(await phase(pod), wanted, await fixture.kubectl("describe", "pod", pod)),
        );
    const ended = async (name: string, node: string, command: string, claim?: string) => {
        await apply(fixture, podOn(name, node, command, claim));
        await until(name, "Succeeded");
        const said = await fixture.kubectl("logs", name);
        await fixture.kubectl("delete", "pod", name, "--now");
        return said.trim();
    };
    const mountFrom = (node: string) =>
        fixture.lab.ssh(
            node,
            `mkdir -p /mnt/try && mount -t nfs -o nfsvers=3,soft ${fixture.lab.node("st1").address}:/exports/data /mnt/try && umount /mnt/try`,
        );

    const claimed = async (name: string, storageClass: string, size?: string, dataSource?: object) => {
        await apply(fixture, claimOf(name, storageClass, size, dataSource));
        const events = () => fixture.kubectl("describe", "pvc", name);
        await eventually(60, async () => {
            const [phase, volume] = (
                await fixture.kubectl("get", "pvc", name, "-o", "jsonpath={.status.phase} {.spec.volumeName}")
            ).split(" ");
            assert.equal(phase, "Bound", await events());
            assert.match(volume!, /^pvc-/);
        });
    };
    const folders = async () => (await fixture.lab.mustSsh("st1", "ls /exports/claims")).trim().split("\n");

    before(async () => {
        const driver = await toolOrReason("add-ons");
        temporary = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-database-"));
        noDriver = typeof driver === "string" ? driver : undefined;
        fixture = await openFixture({
            name: "store",
            nodes: ["m1", "w1", "w2", "st1"],
            volumes: { st1: [gib] },
            nfs: true,
            addOns: noDriver === undefined ? ["nfs-csi"] : [],
        });
        await configure(["w1"]);
    });
    after(async () => {
        await fixture?.close();
        fs.rmSync(temporary, { recursive: true, force: true });
    });

    it("shows before the first run what will be done to the storage server", async () => {
        const text = await fixture.project.preview("--diff");
        for (const title of ["prepare the volumes", "serve the exports"]) assert.match(text, new RegExp(title));
    });

    it("stands after one `pulumi up`, with a PersistentVolume that a claim binds to", async () => {
        await fixture.project.up();
        const volume = JSON.parse(await fixture.kubectl("get", "pv", "shared", "-o", "json"));
        assert.equal(volume.status.phase, "Available");
        assert.equal(volume.spec.nfs.server, fixture.lab.node("st1").address);
        await apply(fixture, sharedClaim);
        await eventually(30, async () =>
            assert.equal(await fixture.kubectl("get", "pvc", "shared", "-o", "jsonpath={.status.phase}"), "Bound"),
        );
    });

    it("keeps what a pod wrote when it moves to another node", async () => {
        const write = "head -c 8000000 /dev/urandom >/data/file && sync && sha256sum </data/file";
        sum = await ended("writer", "w1", write);
        assert.match(sum, /^[0-9a-f]{64}/);
        assert.equal(await ended("reader", "m1", "sha256sum </data/file"), sum);
        assert.equal((await fixture.lab.mustSsh("st1", "sha256sum </exports/data/file")).trim(), sum);
    });

    it("gives each claim of a storage class a folder of an export, which pods on all nodes share", async function () {
        skipIf(this, noDriver);
        await claimed("one", "gone");
        const written = await ended("maker", "w1", "echo hello >/data/file && sync && cat /data/file", "one");
        assert.equal(await ended("taker", "m1", "cat /data/file", "one"), written);
        assert.equal((await fixture.lab.mustSsh("st1", "cat /exports/claims/default-one-pvc-*/file")).trim(), "hello");
    });

    it("gives each of two writers of a StatefulSet its own volume, which it finds again", async function () {
        skipIf(this, noDriver);
        await apply(fixture, twoWriters);
        const written = (pod: string) => fixture.kubectl("exec", pod, "--", "cat", "/data/log");
        const both = () =>
            eventually(120, async () => {
                for (const pod of ["writer-0", "writer-1"]) {
                    const lines = (await written(pod)).trim().split("\n");
                    assert.ok(lines.length > 3 && lines.every(line => line === pod), lines.join());
                }
            });
        await both();
        const before = (await written("writer-1")).length;
        await fixture.kubectl("delete", "pod", "writer-0", "writer-1", "--now");
        await both();
        assert.ok((await written("writer-1")).length >= before, "what it wrote before is there");
        await fixture.kubectl("delete", "statefulset", "writer");
        await fixture.kubectl("delete", "pvc", "data-writer-0", "data-writer-1");
    });

    it("grows a claim while a pod uses it, and keeps its data", async function () {
        skipIf(this, noDriver);
        await apply(fixture, podOn("grower", "w1", "exec sleep 86400", "one"));
        await until("grower", "Running");
        await apply(fixture, claimOf("one", "gone", "3Gi"));
        await eventually(60, async () => {
            const size = await fixture.kubectl("get", "pvc", "one", "-o", "jsonpath={.status.capacity.storage}");
            assert.equal(size, "3Gi", await fixture.kubectl("describe", "pvc", "one"));
        });
        assert.equal((await fixture.kubectl("exec", "grower", "--", "cat", "/data/file")).trim(), "hello");
        await fixture.kubectl("delete", "pod", "grower", "--now");
    });

    it("refuses to remove a storage class or its export while a claim uses it, with its name", async function () {
        skipIf(this, noDriver);
        const { kept } = storageClasses;
        await configure(["w1"], { storageClasses: { kept: kept! } });
        await assert.rejects(fixture.project.up(), /StorageClass gone is used by claim default\/one/);
        const exports = { "/exports/data": { volume: "data" } };
        await configure(["w1"], { storageClasses: {}, snapshotClasses: {}, exports });
        await assert.rejects(fixture.project.up(), /export \/exports\/claims is used by claim default\/one/);
        await configure(["w1"]);
    });

    it("keeps a snapshot of a claim, from which another claim begins; a clone begins with what is there now", async function () {
        skipIf(this, noDriver);
        await apply(fixture, snapshotOf("one", "before"));
        await eventually(120, async () => {
            const ready = await fixture.kubectl(
                "get",
                "volumesnapshot",
                "before",
                "-o",
                "jsonpath={.status.readyToUse}",
            );
            assert.equal(ready, "true", await fixture.kubectl("describe", "volumesnapshot,volumesnapshotcontent"));
        });
        await ended("changer", "w1", "echo changed >/data/file && sync", "one");
        await claimed("restored", "gone", "3Gi", fromSnapshot("before"));
        await claimed("clone", "gone", "3Gi", fromClaim("one"));
        assert.equal(await ended("restorer", "m1", "cat /data/file", "restored"), "hello");
        assert.equal(await ended("cloner", "m1", "cat /data/file", "clone"), "changed");
    });

    it("refuses to switch snapshots off while there is one, with its name", async function () {
        skipIf(this, noDriver);
        await configure(["w1"], { snapshotClasses: {} });
        await assert.rejects(
            fixture.project.up(),
            /the snapshotter of nfs\.csi\.k8s\.io is used by VolumeSnapshot default\/before \(VolumeSnapshotContent snapcontent-/,
        );
        await configure(["w1"]);
    });

    it("deletes the data of a snapshot with its VolumeSnapshot", async function () {
        skipIf(this, noDriver);
        assert.ok((await folders()).some(name => name.startsWith("snapshot-")));
        await fixture.kubectl("delete", "volumesnapshot/before", "pvc/restored", "pvc/clone");
        await eventually(60, async () => assert.match((await folders()).join(), /^default-one-pvc-[^,]*$/));
    });

    it("loses the kinds of snapshots and their controller with the last class", async function () {
        skipIf(this, noDriver);
        snapshotClasses = {};
        await configure(["w1"]);
        await fixture.project.up();
        const left = await fixture.kubectl("get", "customresourcedefinitions", "-o", "name");
        assert.doesNotMatch(left, /snapshot\.storage\.k8s\.io/);
        const running = await fixture.kubectl("-n", "kube-system", "get", "deployments", "-o", "name");
        assert.match(running, /csi-nfs-controller/);
        assert.doesNotMatch(running, /snapshot-controller/);
    });

    it("deletes or archives the folder of a claim that goes, as its class says, and nothing else", async function () {
        skipIf(this, noDriver);
        await claimed("two", "kept");
        await ended("keeper", "w1", "echo kept >/data/file && sync", "two");
        await fixture.kubectl("delete", "pvc", "one", "two");
        await eventually(60, async () => {
            const left = await folders();
            assert.equal(left.length, 1, left.join());
            assert.match(left[0]!, /^archived-default-two-pvc-/);
        });
        assert.equal((await fixture.lab.mustSsh("st1", "cat /exports/claims/archived-*/file")).trim(), "kept");
        assert.equal(await fixture.kubectl("get", "pv", "-o", "jsonpath={.items[*].metadata.name}"), "shared");
    });

    it("gives access to a node that joins, and to nobody before that", async () => {
        assert.notEqual((await mountFrom("w2")).code, 0, "w2 is no member yet");
        await configure(["w1", "w2"]);
        await fixture.project.up();
        assert.equal(await ended("late", "w2", "sha256sum </data/file"), sum);
        assert.equal((await mountFrom("w2")).code, 0);
    });

    it("changes nothing in a run without changes", async () => {
        await fixture.project.up({ expectNoChanges: true });
    });

    it("takes access from a node that has left", async () => {
        await configure(["w1"]);
        await fixture.project.up();
        assert.notEqual((await mountFrom("w2")).code, 0);
        assert.equal((await mountFrom("w1")).code, 0);
    });

    it("loses no write that it acknowledged when the storage server loses its power", async () => {
        const loop = "i=0; while :; do i=$((i+1)); echo $i >>/data/log && sync /data/log && echo $i; sleep 0.1; done";
        await apply(fixture, podOn("loop", "w1", loop));
        await until("loop", "Running");
        const acknowledged = async () => (await fixture.kubectl("logs", "loop", "--tail", "1")).trim();
        await eventually(60, async () => assert.ok(Number(await acknowledged()) > 20));
        await fixture.lab.powerOff("st1");
        await new Promise(resolve => setTimeout(resolve, 3000));
        const before = Number(await acknowledged());
        await fixture.lab.powerOn("st1");
        await eventually(120, async () =>
            assert.ok(Number(await acknowledged()) > before + 10, "it goes on by itself"),
        );
        const last = Number(await acknowledged());
        const written = (await fixture.lab.mustSsh("st1", "cat /exports/data/log")).trim().split("\n").map(Number);
        for (let i = 1; i <= last; i++) assert.ok(written.includes(i), `${i} was acknowledged`);
    });

    it("loses no transaction of a database when the storage server loses its power, ten times out of ten", async () => {
        const of = { kubectl: fixture.kubectl, apply: (object: object) => apply(fixture, object) };
        const database = await startDatabase(of, { node: "w1", folder: temporary });
        for (let round = 1; round <= 10; round++) {
            await fixture.lab.powerOff("st1");
            await fixture.lab.powerOn("st1");
            await database.goesOn();
            await database.lostNothing();
        }
        await fixture.kubectl("delete", "pod", "database", "--now");
    });

    it("refuses to remove what a claim and a pod use, with their names, before anything changes", async () => {
        await configure(["w1"], { persistentVolumes: {}, storageClasses: {}, exports: {} });
        await assert.rejects(fixture.project.up(), error => {
            assert.match(String(error), /export \/exports\/data is used by claim default\/shared of pod default\/loop/);
            return true;
        });
        await configure(["w1"], "none");
        await assert.rejects(
            fixture.project.preview(),
            /export \/exports\/data is used by claim default\/shared of pod default\/loop/,
        );
        assert.equal(await phase("loop"), "Running");
        await configure(["w1"]);
    });

    it("keeps the data when the cluster is destroyed", async () => {
        await fixture.project.destroy();
        const { stdout } = await fixture.lab.ssh("st1", "cat /etc/fstab /etc/exports.d/* 2>/dev/null");
        assert.doesNotMatch(stdout, /pulumi-nfv/);
        const { disk } = storage().volumes!["data"]!;
        const seen = await fixture.lab.mustSsh(
            "st1",
            `mount -o ro ${disk} /mnt && sha256sum </mnt/exports/data/file; umount /mnt`,
        );
        assert.equal(seen.trim(), sum);
    });
});
