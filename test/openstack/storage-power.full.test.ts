import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { StorageArgs } from "../../components/storage-args";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { type Database, startDatabase } from "../support/database";
import { sharedClaim } from "../support/shared-claim";
import { asStory } from "../support/story";
import { type CloudFixture, destroyWithoutTrace, footprint, openCloudFixture, serverIds } from "./cloud-fixture";

const server = "core-storage";
const worker = "core-workers-1";

describe("a storage server in the cloud that loses its power under a database", function () {
    this.timeout("25m");
    asStory(this);
    let fixture: CloudFixture;
    let folder: string;
    let untouched: Record<string, string[]>;
    let database: Database;
    let volume: string | undefined;

    const storage: StorageArgs = {
        server: { flavor: "m1.small" },
        volumes: { data: { sizeGiB: 1, fileSystem: "xfs" } },
        exports: { "/exports/data": { volume: "data" } },
        // The lab's client has no large writes over version 4.
        nfs3: true,
        persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
    };
    const openstack = (args: string[]) => fixture.cloud.openstack(args);
    const apply = async (object: object) => {
        const file = path.join(folder, "object.json");
        fs.writeFileSync(file, JSON.stringify(object));
        await fixture.kubectl("apply", "-f", file);
    };

    before(async () => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-power-"));
        fixture = await openCloudFixture("program", "storage-power", { programs: "test/openstack" });
        untouched = await footprint(fixture);
        const { images, publicNetwork: externalNetwork } = fixture.cloud;
        const cluster = {
            infrastructure: { nova: { image: images.kubernetes, flavor: "m1.medium", externalNetwork } },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 1 },
            pools: { workers: { count: 1 } },
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy, storage },
        };
        await fixture.project.setConfig({ cluster: JSON.stringify(cluster) });
        await fixture.project.up();
        ({ id: volume } = await fixture.cloud.json<{ id: string }>(["volume", "show", `${server}-data`]));
        await apply(sharedClaim);
        database = await startDatabase({ kubectl: fixture.kubectl, apply }, { node: worker, folder });
    });
    after(async () => {
        // What a failed story left would stop others.
        await fixture?.project.destroy().catch(() => {});
        if (volume) await openstack(["volume", "delete", volume]).catch(() => {});
        await fixture?.close();
        fs.rmSync(folder, { recursive: true, force: true });
    });

    const ways: [string, (id: string) => Promise<unknown>][] = [
        ["it boots again by itself", id => openstack(["server", "reboot", "--hard", "--wait", id])],
        [
            "it is lost, and the next run heals it",
            async id => {
                await openstack(["server", "delete", "--wait", id]);
                await fixture.project.up({ refresh: true });
            },
        ],
    ];
    for (let round = 1; round <= 10; round++) {
        const [title, lose] = ways[round % ways.length]!;
        it(`${round} of 10: ${title}; the database goes on and has lost nothing`, async () => {
            await lose((await serverIds(fixture))[server]!);
            await database.goesOn();
            console.log(`      ${await database.lostNothing()} transactions`);
        });
    }

    it("stands as its program says, and leaves nothing but the volume", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.kubectl("delete", "pod", "database", "--now");
        await fixture.project.destroy();
        await openstack(["volume", "delete", volume!]);
        volume = undefined;
        await destroyWithoutTrace(fixture, untouched);
    });
});
