import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { WritingPod } from "../support/writing-pod";
import { type CloudFixture, destroyOrSay, destroyWithoutTrace, readyNodes, serverIds } from "./cloud-fixture";
import { openRotatedServers, type RotatedServers } from "./rotated-servers";

const storage = {
    server: { flavor: "m1.small" },
    volumes: { data: { sizeGiB: 1, fileSystem: "xfs" } },
    exports: { "/exports/data": { volume: "data" } },
    // The lab's client has no large writes over version 4.
    nfs3: true,
    persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
};

const volume = "core-storage-data";

/** What depends on the back end; the rest is shown by rotate-login. */
describe("the login key of a stack of Heat with a storage server", function () {
    this.timeout("25m");
    asStory(this);
    let servers: RotatedServers;
    let fixture: CloudFixture;
    let writer: WritingPod;
    let first: Record<string, string>;
    /** Paths: of a private key, and of the host keys for OpenSSH. */
    const former = { key: "", knownHosts: "" };
    const next = { key: "", knownHosts: "" };

    const known = async (name: string) => servers.save(name, await fixture.project.output("knownHosts"));
    const eachSays = async (way: { key: string; knownHosts: string; through?: string[] }, wanted: RegExp) => {
        for (const server of await servers.servers()) {
            const said = await servers.say(server, way);
            assert.match(said, wanted, `${server}: ${said}`);
        }
    };

    before(async () => {
        servers = await openRotatedServers("e2e-heat-keys", { backEnd: "heat", more: { storage } });
        fixture = servers.fixture;
        writer = new WritingPod((...args) => fixture.kubectl(...args), "core-workers-1");
        await servers.configure(undefined);
    });

    after(async () => {
        // It stays when the cluster goes, and would stay for the next story. A project has no second one of this name.
        await destroyOrSay(fixture);
        await fixture?.cloud.openstack(["volume", "delete", volume]).catch(() => {});
        await servers?.close();
        writer?.close();
    });

    it("is exchanged on all servers while a pod writes to the storage server, also after kills; no server is replaced", async () => {
        await fixture.project.up();
        first = await serverIds(fixture);
        assert.deepEqual(Object.keys(first).sort(), [
            ...["core-control-plane-1", "core-jump", "core-storage", "core-workers-1"],
        ]);
        former.key = servers.save("former", await servers.secret("privateKey"));
        former.knownHosts = await known("former-hosts");
        await eachSays(former, /^yes$/);
        await writer.begin();
        await servers.configure({ loginKey: "2026-11" });
        const preview = await fixture.project.preview();
        console.log(preview.replace(/^(?=.)/gm, "      "));
        assert.match(preview, /a new login key is made known to [^\n]*core-storage/);
        console.log(`      ${(await servers.killUp(1500, /LoginRotation/)) ? "killed" : "ended"} in the rotation`);
        await fixture.project.up();
        console.log(`      ${(await servers.killUp(15_000)) ? "killed" : "ended"} after 15 s`);
        await fixture.project.up();
        await fixture.project.up();
        next.key = servers.save("next", (await servers.secret("logins"))["1"].privateKey);
        next.knownHosts = former.knownHosts;
        await eachSays(next, /^yes$/);
        await eachSays({ ...next, key: former.key, through: [next.key] }, /Permission denied/);
        assert.deepEqual(await serverIds(fixture), first);
        await writer.goesOn(await writer.acknowledged());
        await writer.lostNothing();
    });

    it("leaves nothing to do: a refresh finds no change, and the former key leaves the state", async () => {
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1"]);
        assert.equal(await servers.secret("privateKey"), "", "the former key is in the state");
    });

    it("is that of a server that the stack gets later; `pulumi destroy` leaves the volume alone", async () => {
        await servers.configure({ loginKey: "2026-11" }, 2);
        await fixture.project.up();
        await eachSays({ ...next, knownHosts: await known("more-hosts") }, /^yes$/);
        const { "core-workers-2": _, ...kept } = await serverIds(fixture);
        assert.deepEqual(kept, first);
        await fixture.project.up({ expectNoChanges: true });
        const { volumes = [] } = servers.untouched;
        await destroyWithoutTrace(fixture, { ...servers.untouched, volumes: [...volumes, volume].sort() });
    });
});
