import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connections } from "../../../../provider/ssh";
import { uploadAppendScript } from "../../../../provider/ssh/scripts";
import type { FakeNode } from "../../../../testing";
import { FakeFleet } from "../../../../testing";

const connections = new Connections();

describe("files over a connection", () => {
    const folder = mkdtempSync(join(tmpdir(), "nfv-files-"));
    const local = join(folder, "large");
    const content = randomBytes(3_000_000);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const appends = (argv: readonly string[]) => argv[3] === uploadAppendScript.name;
    let fleet: FakeFleet;
    let node: FakeNode;

    before(() => writeFileSync(local, content));
    after(() => rmSync(folder, { recursive: true }));
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: 1 });
        node = fleet.node("node-1");
    });
    afterEach(async () => {
        await connections.close();
        await fleet.stop();
    });

    it("are written with mode and owner, and read back, also when empty", async () => {
        const connection = connections.to(node.target);
        await connection.writeFile("/etc/a b", "tôt", { mode: 0o600, owner: "etcd:etcd" });
        assert.equal((await connection.readFile("/etc/a b"))?.toString(), "tôt");
        assert.equal(node.files.get("/etc/a b")?.mode, 0o600);
        assert.equal(node.files.get("/etc/a b")?.owner, "etcd:etcd");
        await connection.writeFile("/empty", "");
        assert.equal((await connection.readFile("/empty"))?.length, 0);
        assert.equal(await connection.readFile("/missing"), undefined);
    });

    it("never have their content in a command line", async () => {
        await connections.to(node.target).writeFile("/secret", "canary");
        assert.doesNotMatch(JSON.stringify(node.commands.map(call => call.argv)), /canary/);
    });

    it("are uploaded with progress, and not again when they are there", async () => {
        const progress: number[] = [];
        const options = { sha256, onProgress: (sent: number, total: number) => progress.push(sent / total) };
        await connections.to(node.target).upload(local, "/bin/large", options);
        assert.equal(node.files.get("/bin/large")?.sha256, sha256);
        assert.equal(progress.at(-1), 1);
        assert.ok(progress.length > 3);
        await connections.to(node.target).upload(local, "/bin/large", { sha256 });
        assert.equal(node.seen(appends).length, 1);
    });

    it("that do not have their sum are refused after one new start, and get no name", async () => {
        const upload = connections.to(node.target).upload(local, "/bin/large", { sha256: "0".repeat(64) });
        await assert.rejects(upload, { code: "TRANSFER_FAILED" });
        assert.equal(node.seen(appends).length, 2);
        assert.equal(node.files.get("/bin/large"), undefined);
    });

    it("go on after a lost connection, by themselves", async () => {
        node.cutAt(appends, 2);
        await connections.to(node.target).upload(local, "/bin/large", { sha256 });
        assert.equal(node.files.get("/bin/large")?.sha256, sha256);
        assert.equal(node.seen(appends).length, 3);
    });

    it("that cannot be written are an error with what the machine said", async () => {
        node.fail({ startsWith: ["sh", "-c"] }, 1, {
            code: 1,
            stderr: "mkdir: cannot create directory: No space left\n",
        });
        await assert.rejects(connections.to(node.target).writeFile("/x", "y"), {
            code: "TRANSFER_FAILED",
            message: /No space left/,
        });
    });
});
