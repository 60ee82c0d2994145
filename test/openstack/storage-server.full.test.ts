import { strict as assert } from "node:assert";
import type { KubernetesClusterArgs } from "../../components/args/args";
import type { StorageServerArgs } from "../../components/args/storage-args";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { eventually } from "../e2e/cluster-fixture";
import { asStory } from "../support/story";
import { WritingPod } from "../support/writing-pod";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
} from "./cloud-fixture";

const server = "files-storage";
const worker = "core-workers-1";
const options = { programs: "test/openstack", login: "lab-3" };

describe("a storage server of its own in the cloud, which a cluster of another stack uses", function () {
    this.timeout("15m");
    asStory(this);
    let files: CloudFixture;
    let core: CloudFixture;
    const writer = new WritingPod((...args) => core.kubectl(...args), worker);
    let untouched: Record<string, string[]>;
    let owner: string;
    let address: string;
    let volume: string | undefined;
    let snapshot: string | undefined;

    const openstack = (args: string[]) => files.cloud.openstack(args);
    const storageServer = (data: object, changes: Partial<StorageServerArgs> = {}) => ({
        storageServer: JSON.stringify({
            infrastructure: {
                nova: { image: files.cloud.images.kubernetes, externalNetwork: files.cloud.publicNetwork },
            },
            server: { flavor: "m1.small" },
            volumes: { data: { sizeGiB: 1, fileSystem: "xfs", ...data } },
            exports: { "/exports/data": { volume: "data", clients: ["10.100.0.0/24"] } },
            // The lab's client has no large writes over version 4.
            nfs3: true,
            ...changes,
        } satisfies StorageServerArgs),
    });
    const cluster = (): Record<string, string> => {
        const nova = {
            image: files.cloud.images.kubernetes,
            flavor: "m1.medium",
            externalNetwork: files.cloud.publicNetwork,
            network: { network: "files" },
        };
        const shared = { path: "/exports/data", server: address, capacityGiB: 1, mountOptions: ["hard", "nfsvers=3"] };
        const args: KubernetesClusterArgs = {
            infrastructure: { nova },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 1 },
            pools: { workers: { count: 1 } },
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
            storage: { persistentVolumes: { shared } },
        };
        return { cluster: JSON.stringify(args) };
    };
    const idOf = async (kind: string, name: string) =>
        (await files.cloud.json<{ id: string }>([...kind.split(" "), "show", name])).id;

    before(async () => {
        files = await openCloudFixture("program", "files", options);
        core = await openCloudFixture("program", "files-core", options);
        untouched = await footprint(files);
        await files.project.setConfig(storageServer({}));
    });
    after(async () => {
        // What a failed story left would stop others.
        await destroyOrSay(core);
        await destroyOrSay(files);
        if (snapshot) await openstack(["volume", "snapshot", "delete", snapshot]).catch(() => {});
        if (volume) await eventually(60, () => openstack(["volume", "delete", volume!])).catch(() => {});
        await core?.close();
        await files?.close();
        writer.close();
    });

    it("shows before the first run what will be made, and makes nothing", async () => {
        const text = await files.project.preview("--diff");
        for (const title of ["prepare the volumes", "serve the exports"])
            assert.match(text, new RegExp(`${title}"?\\s*: "to do"`));
        assert.deepEqual(await footprint(files), untouched);
    });

    it("stands after one `pulumi up`, and is as its program says after a refresh, too", async () => {
        await files.project.up();
        owner = await files.project.output("owner");
        address = await files.project.output("address");
        volume = await idOf("volume", `${server}-data`);
        await files.project.up({ expectNoChanges: true });
        await files.project.up({ refresh: true, expectNoChanges: true });
    });

    it("serves a cluster in the same network, of another stack", async () => {
        await core.project.setConfig(cluster());
        await core.project.up();
        assert.deepEqual(await readyNodes(core), ["core-control-plane-1", worker]);
        await writer.begin();
    });

    it("refuses to go while a client is in its network", async () => {
        await assert.rejects(files.project.destroy(), /NETWORK_IN_USE[\s\S]*port core-workers-1 10\.100\.0\./);
        await files.project.up();
        await writer.goesOn(await writer.acknowledged());
    });

    it("grows the volume, and makes a snapshot of it, while the pod writes", async () => {
        const before = await writer.acknowledged();
        const snapshots = { first: { volume: "data", run: "1" } };
        await files.project.setConfig(storageServer({ sizeGiB: 2 }, { snapshots }));
        await files.project.up();
        ({ first: snapshot } = JSON.parse(await files.project.output("snapshots")));
        assert.match(snapshot ?? "", /^[0-9a-f-]{36}$/);
        assert.ok((await writer.bytes()) > 1.5 * 2 ** 30);
        await writer.goesOn(before);
        await files.project.up({ expectNoChanges: true });
    });

    it("comes back at the same address when the server was deleted behind our back, and nothing is lost", async () => {
        const former = await idOf("server", server);
        const before = await writer.acknowledged();
        await openstack(["server", "delete", "--wait", former]);
        await files.project.up({ refresh: true });
        assert.notEqual(await idOf("server", server), former);
        assert.equal(await files.project.output("address"), address);
        await writer.goesOn(before);
        await writer.lostNothing();
        await files.project.up({ expectNoChanges: true });
    });

    it("leaves nothing but the volume and its snapshot, from which another server serves the data", async () => {
        const last = await writer.acknowledged();
        await core.kubectl("delete", "pod", "writer", "--now");
        await assert.rejects(files.project.destroy(), /NETWORK_IN_USE[\s\S]*port core-workers-1 10\.100\.0\./);
        await files.project.up();
        assert.equal(JSON.parse(await files.project.output("snapshots")).first, snapshot, "it is the same one");
        await core.project.destroy();
        await files.project.destroy();
        const { volumes, ...others } = await footprint(files);
        assert.deepEqual(
            [volumes, others["servers"], others["networks"]],
            [[...untouched["volumes"]!, `${server}-data`].sort(), untouched["servers"], untouched["networks"]],
        );
        await files.project.setConfig(storageServer({ sizeGiB: 2, volumeId: volume, owner }));
        await files.project.up();
        address = await files.project.output("address");
        await core.project.setConfig(cluster());
        await core.project.up();
        assert.ok(Number(await writer.read("tail -n 1 /data/log")) >= last);
    });

    it("is destroyed without trace", async () => {
        await core.kubectl("delete", "pod", "reader", "--now");
        await core.project.destroy();
        await files.project.destroy();
        await openstack(["volume", "snapshot", "delete", snapshot!]);
        await eventually(60, () => openstack(["volume", "delete", volume!]));
        [volume, snapshot] = [undefined, undefined];
        await destroyWithoutTrace(files, untouched);
    });
});
