import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { CloudProviderArgs } from "../../components/args/cloud-provider-args";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { ensureBundle } from "../../tools/bundle";
import { versions } from "../../tools/versions";
import { eventually } from "../e2e/cluster-fixture";
import { needsTool } from "../support/needs-tool";
import { podOn } from "../support/pod-on";
import { fromClaim, fromSnapshot, snapshotOf } from "../support/snapshots";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
    serverIds,
} from "./cloud-fixture";

const sleeping = "exec sleep 86400";
const workers = ["core-workers-1", "core-workers-2"];

const claim = (name: string, sizeGiB = 1, dataSource?: object) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${sizeGiB}Gi` } }, dataSource },
});

/** The cloud's own parts in a cluster, from a bundle that has their images: as at a site without Internet. */
describe("a cluster with the cloud controller manager and Cinder CSI", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: CloudFixture;
    let untouched: Record<string, string[]>;
    let logins: string[];
    let bundle: string;
    let folder: string;

    const configure = (cloudProvider: CloudProviderArgs) =>
        fixture.project.setConfig({
            cluster: JSON.stringify({
                infrastructure: {
                    nova: {
                        image: fixture.cloud.images.kubernetes,
                        flavor: "m1.medium",
                        externalNetwork: fixture.cloud.publicNetwork,
                    },
                },
                kubernetes: { version: versions.kubernetes, source: { bundle: { path: bundle } } },
                controlPlane: { count: 1 },
                pools: { workers: { count: workers.length } },
                ...{ kubelet: labKubelet, kubeProxy: labKubeProxy, cloudProvider },
            }),
        });
    // The lab's cloud has no Octavia. Its machines may not grow ext4 while it is mounted: that needs CAP_SYS_RESOURCE.
    const cinderCsi = { storageClasses: { cinder: { isDefault: true, fsType: "xfs" } } };
    const withoutSnapshots: CloudProviderArgs = {
        cloudControllerManager: { loadBalancer: { enabled: false } },
        cinderCsi,
    };
    const wanted = { ...withoutSnapshots, cinderCsi: { ...cinderCsi, snapshotClasses: { snap: { isDefault: true } } } };
    const apply = async (...objects: object[]) => {
        const file = path.join(folder, "objects.json");
        fs.writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
        await fixture.kubectl("apply", "-f", file);
    };
    const read = async (...what: string[]) => JSON.parse(await fixture.kubectl("get", ...what, "-o", "json"));
    const runs = (name: string) => fixture.kubectl("wait", "--for=condition=Ready", `pod/${name}`, "--timeout=240s");
    const inPod = (name: string, script: string) => fixture.kubectl("exec", name, "--", "sh", "-c", script);
    interface Shown {
        id: string;
        size: number;
        attachments: { server_id: string }[];
        metadata?: Record<string, string>;
        properties?: Record<string, string>;
    }
    /** Cinder's volume behind a claim. */
    const volumeOf = async (name: string) => {
        const { spec } = await read("pvc", name);
        const { csi } = (await read("pv", spec.volumeName)).spec;
        return (await fixture.cloud.json(["volume", "show", csi.volumeHandle])) as Shown;
    };
    const credentials = async () =>
        (await fixture.cloud.json<{ Name: string }[]>(["application", "credential", "list"]))
            .map(({ Name }) => Name)
            .sort();
    const snapshots = () => fixture.cloud.json<{ ID: string; Name: string }[]>(["volume", "snapshot", "list"]);
    const volumes = async () => (await fixture.list("volumes")).map(({ id }) => id);

    before(async function () {
        await needsTool(this, "add-ons");
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-cloud-provider-"));
        const say = (text: string) => console.log(`      ${text}`);
        bundle = await ensureBundle({ addOns: ["cloud-controller-manager", "cinder-csi"], onProgress: say });
        fixture = await openCloudFixture("program", "cloud-provider", { programs: "test/openstack" });
        untouched = await footprint(fixture);
        logins = await credentials();
        await configure(wanted);
    });
    after(async () => {
        await destroyOrSay(fixture);
        await fixture?.close();
        if (folder) fs.rmSync(folder, { recursive: true, force: true });
    });

    it("stands after one `pulumi up`: each node has its server's id, address and zone", async () => {
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", ...workers]);
        const ids = await serverIds(fixture);
        await eventually(60, async () => {
            for (const { metadata, spec, status } of (await read("nodes")).items) {
                assert.equal(spec.providerID, `openstack:///${ids[metadata.name]}`);
                assert.deepEqual(
                    spec.taints?.filter(({ key }: { key: string }) => /cloudprovider/.test(key)) ?? [],
                    [],
                );
                assert.equal(metadata.labels["topology.kubernetes.io/zone"], "nova");
                const types = status.addresses.map(({ type }: { type: string }) => type);
                for (const type of ["InternalIP", "ExternalIP", "Hostname"]) assert.ok(types.includes(type), types);
            }
        });
    });

    it("binds a claim to a volume of Cinder with the cluster's mark, on the server of its pod", async () => {
        await apply(claim("data"), podOn("first", workers[0]!, sleeping, "data"));
        await runs("first");
        const { size, attachments, ...volume } = await volumeOf("data");
        const marks = volume.properties ?? volume.metadata ?? {};
        assert.equal(size, 1);
        assert.deepEqual(
            attachments.map(({ server_id }) => server_id),
            [(await serverIds(fixture))[workers[0]!]],
        );
        assert.equal(marks["cinder.csi.openstack.org/cluster"], await fixture.project.output("clusterId"));
        await inPod("first", "echo kept >/data/file && sync");
    });

    it("changes nothing when `up` runs again, and after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("moves the volume with its pod to another node", async () => {
        await fixture.kubectl("delete", "pod", "first", "--wait");
        await apply(podOn("second", workers[1]!, sleeping, "data"));
        await runs("second");
        assert.equal((await inPod("second", "cat /data/file")).trim(), "kept");
        assert.deepEqual(
            (await volumeOf("data")).attachments.map(({ server_id }) => server_id),
            [(await serverIds(fixture))[workers[1]!]],
        );
    });

    it("grows it while the pod uses it", async () => {
        await apply(claim("data", 2));
        await eventually(180, async () => {
            const [, blocks] = /(\d+) +\d+ +\d+ +\d+% \/data/.exec(await inPod("second", "df -P -k /data")) ?? [];
            assert.ok(Number(blocks) > 1.8 * 2 ** 20, `the pod sees ${blocks} KiB`);
        });
        assert.equal((await volumeOf("data")).size, 2);
        assert.equal((await inPod("second", "cat /data/file")).trim(), "kept");
    });

    it("snapshots it while the pod uses it, and another claim begins with its file", async () => {
        const before = (await snapshots()).length;
        await apply(snapshotOf("data", "before"));
        await eventually(180, async () => {
            const { status } = await read("volumesnapshot", "before");
            const why = () => fixture.kubectl("describe", "volumesnapshot,volumesnapshotcontent");
            assert.equal(status?.readyToUse, true, await why());
        });
        assert.equal((await snapshots()).length, before + 1);
        await inPod("second", "echo changed >/data/file && sync");
        await apply(claim("restored", 2, fromSnapshot("before")), podOn("third", workers[0]!, sleeping, "restored"));
        await runs("third");
        assert.equal((await inPod("third", "cat /data/file")).trim(), "kept");
    });

    it("clones it while the pod uses it", async () => {
        await apply(claim("clone", 2, fromClaim("data")), podOn("fourth", workers[0]!, sleeping, "clone"));
        await runs("fourth");
        assert.equal((await inPod("fourth", "cat /data/file")).trim(), "changed");
        await fixture.kubectl("delete", "pod/fourth", "pvc/clone", "--wait");
    });

    it("goes on making snapshots while there are any, and says which", async () => {
        await configure(withoutSnapshots);
        await assert.rejects(
            fixture.project.up(),
            /VolumeSnapshot default\/before \(VolumeSnapshotContent snapcontent-/,
        );
        const { items } = await read("customresourcedefinitions");
        assert.ok(items.some(({ spec }: any) => spec.names.kind === "VolumeSnapshot"));
        await configure(wanted);
        await fixture.project.up();
    });

    it("deletes the snapshot in the cloud with its VolumeSnapshot", async () => {
        const [content] = (await read("volumesnapshotcontents")).items;
        const id = content.status.snapshotHandle;
        assert.ok((await snapshots()).some(({ ID }) => ID === id));
        await fixture.kubectl("delete", "pod/third", "pvc/restored", "volumesnapshot/before", "--wait");
        await eventually(120, async () => assert.ok(!(await snapshots()).some(({ ID }) => ID === id)));
    });

    it("loses its part in snapshots, and the cluster their kinds, with the last class", async () => {
        await configure(withoutSnapshots);
        await fixture.project.up();
        const { items } = await read("customresourcedefinitions");
        assert.ok(!items.some(({ spec }: any) => spec.group === "snapshot.storage.k8s.io"));
        const { spec } = await read("-n", "kube-system", "deployment", "csi-cinder-controllerplugin");
        const names = spec.template.spec.containers.map(({ name }: any) => name);
        assert.ok(!names.includes("csi-snapshotter"), names.join());
        assert.equal((await inPod("second", "cat /data/file")).trim(), "changed");
    });

    it("deletes the volume with its claim", async () => {
        const { id } = await volumeOf("data");
        await fixture.kubectl("delete", "pod/second", "pvc/data", "--wait");
        await eventually(120, async () => assert.ok(!(await volumes()).includes(id)));
    });

    it("leaves nothing of it in the cloud after `pulumi destroy`, claims that are bound included", async () => {
        await apply(claim("left"), podOn("left", workers[0]!, sleeping, "left"));
        await runs("left");
        await destroyWithoutTrace(fixture, untouched);
        assert.deepEqual(await credentials(), logins);
    });
});
