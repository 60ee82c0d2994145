import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type ParsedKey, utils } from "ssh2";
import { hostKeyOf, newSshKeyPair } from "../../../../provider/openstack/host-key";
import { skipIf } from "../../../support/skip";

const read = (text: string) => {
    const key = utils.parseKey(text);
    assert.ok(!(key instanceof Error), String(key));
    return [key].flat()[0] as ParsedKey;
};
const publicOf = (text: string) => `ssh-ed25519 ${read(text).getPublicSSH().toString("base64")}`;

describe("SSH keys of servers", () => {
    const seed = randomBytes(32).toString("base64");

    it("are the same for the same seed and name, and others for another of them", () => {
        const key = hostKeyOf(seed, "core-workers-1");
        assert.deepEqual(hostKeyOf(seed, "core-workers-1"), key);
        const others = [
            hostKeyOf(seed, "core-workers-2"),
            hostKeyOf(randomBytes(32).toString("base64"), "core-workers-1"),
        ];
        for (const other of others) assert.notEqual(other.publicKey, key.publicKey);
    });

    it("never change for a seed that is in use: states and servers hold them", () => {
        const { publicKey } = hostKeyOf(Buffer.alloc(32, 7).toString("base64"), "core-control-plane-1");
        assert.equal(publicKey, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDnpq6KSG9AvZ5605rvT9Q/kjkUyedTt7OTpf0cdHj+L");
    });

    it("are read by ssh2, whatever the bytes are, and sign what the public key verifies", () => {
        fc.assert(
            fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.string({ minLength: 1 }), (bytes, name) => {
                const pair = hostKeyOf(Buffer.from(bytes).toString("base64"), name);
                assert.equal(publicOf(pair.privateKey), pair.publicKey);
                const signature = read(pair.privateKey).sign("text") as Buffer;
                assert.equal(read(pair.publicKey).verify("text", signature), true);
            }),
            { numRuns: 300 },
        );
    });

    it("are read by OpenSSH", function () {
        const folder = mkdtempSync(join(tmpdir(), "nfv-key-"));
        try {
            for (const pair of [newSshKeyPair("core"), hostKeyOf(seed, "core-jump")]) {
                const path = join(folder, "key");
                writeFileSync(path, pair.privateKey, { mode: 0o600 });
                const said = execFileSync("ssh-keygen", ["-y", "-f", path], { encoding: "utf8" });
                assert.equal(said.split(" ").slice(0, 2).join(" ").trim(), pair.publicKey);
            }
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
            skipIf(this, "there is no ssh-keygen here");
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});
