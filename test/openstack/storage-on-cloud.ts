import { strict as assert } from "node:assert";
import type { StorageArgs } from "../../components/args/storage-args";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import type { BackEnd } from "../../provider/openstack/requirements";
import { versions } from "../../tools/versions";
import { eventually } from "../e2e/cluster-fixture";
import { asStory } from "../support/story";
import { WritingPod } from "../support/writing-pod";
import { type CloudFixture, destroyOrSay, footprint, openCloudFixture, readyNodes, serverIds } from "./cloud-fixture";

const gib = 2 ** 30;
const worker = "core-workers-1";
const server = "core-storage";

export interface StorageRow {
    backEnd: BackEnd;
    /** As in `FixtureOptions`. */
    login?: string;
}

/** What both back ends promise. */
export function storageOnCloud({ backEnd, login }: StorageRow): void {
    const stack = `storage-${backEnd}`;
    describe(`a cluster with a storage server in the cloud, by ${backEnd}`, function () {
        this.timeout("20m");
        asStory(this);
        let fixture: CloudFixture;
        let untouched: Record<string, string[]>;
        let volume: { id: string; size: number };
        let owner: string;
        const writer = new WritingPod((...args) => fixture.kubectl(...args), worker);
        /** A snapshot of the volume, and what its file was then. */
        let snapshot: { id: string; file: string } | undefined;
        let copy: string | undefined;
        /** A second volume, which is the same all the time. */
        let logs: NonNullable<StorageArgs["volumes"]>[string] = { sizeGiB: 1 };

        const programOf = (
            given: NonNullable<StorageArgs["volumes"]>[string],
            workers = 1,
            more: Partial<StorageArgs> = {},
        ) => {
            const storage: StorageArgs = {
                ...more,
                server: { flavor: "m1.small" },
                // This machine may not grow ext4 while it is mounted: that needs CAP_SYS_RESOURCE.
                volumes: { data: { fileSystem: "xfs", ...given }, logs },
                exports: { "/exports/data": { volume: "data" }, "/exports/logs": { volume: "logs" } },
                // The lab's client has no large writes over version 4.
                nfs3: true,
                persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
            };
            const { kubernetes: image } = fixture.cloud.images;
            return {
                cluster: JSON.stringify({
                    infrastructure: {
                        [backEnd]: { image, flavor: "m1.medium", externalNetwork: fixture.cloud.publicNetwork },
                    },
                    kubernetes: { version: versions.kubernetes },
                    controlPlane: { count: 1 },
                    pools: { workers: { count: workers } },
                    ...{ kubelet: labKubelet, kubeProxy: labKubeProxy, storage },
                }),
            };
        };
        const configure = (...given: Parameters<typeof programOf>) => fixture.project.setConfig(programOf(...given));
        const shown = async () => {
            const { id, size } = (await fixture.cloud.json(["volume", "show", `${server}-data`])) as {
                id: string;
                size: number;
            };
            return { id, size, on: await attachedTo(id) };
        };
        const attachedTo = async (name: string) => {
            const { attachments } = await fixture.cloud.json<{ attachments: { server_id: string }[] }>([
                ...["volume", "show", name],
            ]);
            return attachments.map(({ server_id }) => server_id);
        };
        const snapshotsOf = async (id: string) => {
            const rows = (await fixture.cloud.json(["volume", "snapshot", "list", "--volume", id])) as {
                ID: string;
                Status: string;
            }[];
            return rows.map(({ ID, Status }) => [ID, Status]);
        };
        const urnOfServer = async () => {
            const { resources } = JSON.parse(await fixture.project.exportStack()).deployment;
            return resources.find(({ urn }: { urn: string }) => /:Instance::core-storage$/.test(urn)).urn as string;
        };

        before(async () => {
            fixture = await openCloudFixture("program", stack, { programs: "test/openstack", login });
            untouched = await footprint(fixture);
            await configure({ sizeGiB: 1 });
        });
        after(async () => {
            // What a failed story left would stop others.
            await destroyOrSay(fixture);
            const openstack = (args: string[]) => fixture.cloud.openstack(args);
            if (logs.volumeId) await openstack(["volume", "delete", logs.volumeId]).catch(() => {});
            if (copy) await openstack(["volume", "delete", copy]).catch(() => {});
            if (snapshot) await openstack(["volume", "snapshot", "delete", snapshot.id]).catch(() => {});
            // A volume stays as long as it has snapshots.
            if (volume) await eventually(60, () => openstack(["volume", "delete", volume.id])).catch(() => {});
            await fixture?.close();
            writer.close();
        });

        it("shows before the first run what will be made, and makes nothing", async () => {
            const text = await fixture.project.preview("--diff");
            for (const title of ["prepare the volumes", "serve the exports"])
                assert.match(text, new RegExp(`${title}"?\\s*: "to do"`));
            assert.deepEqual(await footprint(fixture), untouched);
        });

        it("stands after one `pulumi up`, and a pod writes to the cloud's volume", async () => {
            await fixture.project.up();
            assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", worker]);
            owner = await fixture.project.output("clusterId");
            volume = await shown();
            assert.equal(volume.size, 1);
            assert.deepEqual((await shown()).on, [(await serverIds(fixture))[server]]);
            assert.deepEqual(await attachedTo(`${server}-logs`), (await shown()).on);
            await writer.begin();
        });

        it("changes nothing when `up` runs again, and after a refresh", async () => {
            await fixture.project.up({ expectNoChanges: true });
            await fixture.project.up({ refresh: true, expectNoChanges: true });
        });

        if (backEnd === "heat") {
            it("stays as it is when the stack gets another server, while the pod writes", async () => {
                const { [server]: former } = await serverIds(fixture);
                const before = await writer.acknowledged();
                await configure({ sizeGiB: 1 }, 2);
                await fixture.project.up();
                assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", worker, "core-workers-2"]);
                assert.equal((await serverIds(fixture))[server], former);
                assert.deepEqual((await shown()).on, [former]);
                await writer.goesOn(before);
                await configure({ sizeGiB: 1 });
                await fixture.project.up();
                await writer.goesOn(before);
            });

            it("leaves before its network: the stack alone is not destroyed", async () => {
                const there = await footprint(fixture);
                await assert.rejects(
                    fixture.project.run(["destroy", "--yes", "--skip-preview", "--target", "**StackV1::core"]),
                    /depend/,
                );
                assert.deepEqual(await footprint(fixture), there);
            });
        }

        if (backEnd === "nova") {
            it("grows the volume and its file system while the pod writes", async () => {
                const before = await writer.acknowledged();
                await configure({ sizeGiB: 2 });
                await fixture.project.up();
                assert.deepEqual(await shown().then(({ id, size }) => [id, size]), [volume.id, 2]);
                assert.ok((await writer.bytes()) > 1.5 * gib);
                await writer.goesOn(before);
            });

            it("is refused to another program at preview while the server has it", async () => {
                const other = await openCloudFixture("program", `${stack}-other`, {
                    programs: "test/openstack",
                    login,
                });
                try {
                    await other.project.setConfig(programOf({ volumeId: volume.id, owner }));
                    const refused =
                        /storage\.volumes\.data\.volumeId: the volume "core-storage-data" .* is attached to the server "core-storage"/;
                    await assert.rejects(other.project.preview(), refused);
                } finally {
                    await other.close();
                }
            });

            it("refuses a smaller volume before anything changes", async () => {
                await configure({ sizeGiB: 1 });
                await assert.rejects(fixture.project.preview(), /a volume cannot shrink from 2 to 1/);
                await assert.rejects(fixture.project.up(), /cannot shrink from 2 to 1 GiB/);
                assert.equal((await shown()).size, 2);
                await configure({ sizeGiB: 2 });
            });
        }

        it("replaces the server by name: the pod waits, and loses nothing", async () => {
            const { [server]: former } = await serverIds(fixture);
            const before = await writer.acknowledged();
            await fixture.project.run([
                "up",
                "--yes",
                "--skip-preview",
                "--non-interactive",
                "--replace",
                await urnOfServer(),
            ]);
            const { [server]: now } = await serverIds(fixture);
            assert.notEqual(now, former);
            assert.deepEqual(await shown().then(({ id, on }) => [id, on]), [volume.id, [now]]);
            await writer.goesOn(before);
            await writer.lostNothing();
            await fixture.project.up({ expectNoChanges: true });
        });

        if (backEnd === "nova") {
            it("brings the server back that was deleted behind our back, with the data", async () => {
                const { [server]: former } = await serverIds(fixture);
                const before = await writer.acknowledged();
                await fixture.cloud.openstack(["server", "delete", "--wait", former!]);
                await fixture.project.up({ refresh: true });
                assert.deepEqual((await shown()).on, [(await serverIds(fixture))[server]]);
                await writer.goesOn(before);
                await writer.lostNothing();
                await fixture.project.up({ expectNoChanges: true });
            });
        }

        if (backEnd === "nova") {
            it("makes one snapshot for each word, while the pod writes", async () => {
                const file = await writer.exec(
                    "head -c 1000000 /dev/urandom >/data/file && sync /data/file && sha256sum /data/file",
                );
                const before = await writer.acknowledged();
                const snapshots = { before: { volume: "data", run: "one" } };
                await configure({ sizeGiB: 2 }, 1, { snapshots });
                await fixture.project.up();
                const ids = JSON.parse(await fixture.project.output("snapshots")) as Record<string, string>;
                assert.deepEqual(Object.keys(ids), ["before"]);
                snapshot = { id: ids["before"]!, file: file.trim() };
                assert.deepEqual(await snapshotsOf(volume.id), [[snapshot.id, "available"]]);
                await writer.goesOn(before);
                await writer.exec("echo changed >/data/file && sync /data/file");
                await fixture.project.up({ expectNoChanges: true });
                await fixture.project.up({ refresh: true, expectNoChanges: true });
                assert.equal((await snapshotsOf(volume.id)).length, 1);
                await writer.lostNothing();
            });
        }

        it("keeps the volume when the cluster is destroyed, and leaves nothing else", async () => {
            await fixture.project.destroy();
            const { volumes, ...others } = await footprint(fixture);
            const { volumes: former, ...before } = untouched;
            assert.deepEqual(others, before, "no stack, network or port is left");
            assert.deepEqual(
                volumes!.filter(name => !former!.includes(name)),
                [`${server}-data`, `${server}-logs`],
            );
            assert.deepEqual((await shown()).on, []);
            const kept = await fixture.cloud.json<{ id: string }>(["volume", "show", `${server}-logs`]);
            logs = { volumeId: kept.id, owner };
        });

        if (backEnd === "nova") {
            it("makes no second volume that would hide it", async () => {
                await assert.rejects(fixture.project.up(), error => {
                    assert.match(
                        String(error),
                        new RegExp(`NOT_OURS[\\s\\S]*storage\\.volumes\\.data\\.volumeId: "${volume.id}"`),
                    );
                    return true;
                });
            });

            it("serves it again where the program names it and its owner", async () => {
                await configure({ volumeId: volume.id, owner });
                await fixture.project.up();
                assert.ok(Number(await writer.read("wc -l </data/log")) > 50);
                await fixture.project.destroy();
                assert.equal((await shown()).id, volume.id);
            });

            it("keeps its snapshot in all that", async () => {
                assert.deepEqual(await snapshotsOf(volume.id), [[snapshot!.id, "available"]]);
            });

            it("serves the data as it was at the snapshot, in a volume of its own beside the former one", async () => {
                await configure({ sizeGiB: 3, snapshotId: snapshot!.id, owner });
                const rename = new RegExp(`NOT_OURS[\\s\\S]*openstack volume set --name (\\S+) ${volume.id}`);
                const refused = await fixture.project.up().then(
                    () => assert.fail("it would hide the former volume"),
                    error => rename.exec(String(error)),
                );
                assert.ok(refused, "the error says how to keep the former one");
                await fixture.cloud.openstack(["volume", "set", "--name", refused[1]!, volume.id]);
                await fixture.project.up();
                copy = (await shown()).id;
                assert.notEqual(copy, volume.id);
                const [file, kilobytes] = (await writer.read("sha256sum /data/file; df -P -k /data | tail -n 1")).split(
                    "\n",
                );
                assert.equal(file, snapshot!.file);
                assert.ok(Number(kilobytes!.split(/\s+/)[1]) * 1024 > 2.5 * gib, kilobytes);
                await fixture.project.up({ expectNoChanges: true });
                await fixture.project.destroy();
                assert.equal((await snapshotsOf(volume.id)).length, 1);
            });
        }
    });
}
