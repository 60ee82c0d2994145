import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { placeHostKey } from "../../../../provider/node/place-host-key";
import { hostKeyOf, newSshKeyPair, type SshKeyPair } from "../../../../provider/openstack/host-key";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { quoteWord } from "../../../../provider/shell/quote";
import { anyOf, type Connection, Connections } from "../../../../provider/ssh";
import { ensurePackages } from "../../../../tools/system-packages";
import { skipIf } from "../../../support/skip";
import { RealSshd, whyNoSshd } from "../ssh/real-sshd";

describe("the script that places a host key, at a real sshd", () => {
    let sshd: RealSshd;
    let connections: Connections;
    /** Opened before the key changes. */
    let session: Connection;
    let file: string;
    const next = hostKeyOf(Buffer.alloc(32, 7).toString("base64"), "m1");

    const place = async (key: SshKeyPair, publicKey = key.publicKey) => {
        await session.writeFile(`${file}.nfv-new`, key.privateKey, { mode: 0o600 });
        const { run, env } = placeHostKey(publicKey, "");
        const values = Object.entries({ ...env, HOST_KEY: file }).map(([name, value]) => `${name}=${quoteWord(value)}`);
        return session.exec(["sh", "-euc", `${values.join("\n")}\n${run}`]);
    };
    /** Connects afresh, taking this key alone. */
    const shows = async (publicKey: string) => {
        const all = new Connections();
        try {
            for (let left = 20; ; left--) {
                const how = { ...sshd.targetOf("root"), hostKey: publicKey };
                const code = await all
                    .to(how)
                    .exec(["true"])
                    .then(
                        () => "yes",
                        (error: { code: string }) => error.code,
                    );
                if (code !== "HOST_KEY_CHANGED" || left === 0) return code;
                await new Promise(resolve => setTimeout(resolve, 50));
            }
        } finally {
            await all.close();
        }
    };

    before(async function () {
        if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get"))
            await ensurePackages(["openssh-server", "sudo"], "tests with a real sshd", { onProgress: console.log });
        skipIf(this, whyNoSshd());
    });
    beforeEach(async () => {
        sshd = await RealSshd.start();
        file = join(sshd.folder, "ed25519");
        connections = new Connections();
        const hostKey = anyOf([sshd.hostKeys[0]!, next.publicKey]);
        session = connections.to({ ...sshd.targetOf("root"), hostKey });
    });
    afterEach(async () => {
        await connections?.close();
        await sshd?.stop();
    });

    it("makes sshd show it from the next connection on, while a session with a command goes on", async () => {
        const long = session.exec(["sh", "-c", "sleep 3; echo still here"]);
        const [pid, mode] = [(await session.exec(["cat", "/run/sshd.pid"])).stdout, statSync(file).mode];
        assert.deepEqual(await place(next), { code: 0, stdout: "", stderr: "" });
        assert.equal(await shows(next.publicKey), "yes");
        assert.equal(await shows(sshd.hostKeys[0]!), "HOST_KEY_CHANGED");
        assert.equal((await long).stdout, "still here\n");
        assert.equal((await session.exec(["cat", "/run/sshd.pid"])).stdout, pid, "sshd was made again");
        assert.deepEqual([readFileSync(`${file}.pub`, "utf8"), statSync(file).mode], [`${next.publicKey}\n`, mode]);
        assert.deepEqual([existsSync(`${file}.nfv-new`), existsSync(`${file}.pub.nfv-new`)], [false, false]);
        // The other key of the machine stays.
        assert.equal(await shows(sshd.hostKeys[1]!), "yes");
    });

    it("reloads where the file has the key already: a run was killed between both", async () => {
        await session.writeFile(file, next.privateKey, { mode: 0o600 });
        assert.equal((await place(next)).code, 0);
        assert.equal(await shows(next.publicKey), "yes");
        assert.equal(readFileSync(`${file}.pub`, "utf8"), `${next.publicKey}\n`);
        assert.deepEqual([existsSync(`${file}.nfv-new`), existsSync(`${file}.pub.nfv-new`)], [false, false]);
    });

    const refused: [title: string, before: () => void, key: SshKeyPair, publicKey: string | undefined, why: RegExp][] =
        [
            [
                "settings that sshd does not read",
                () => sshd.set("NoSuchSetting yes"),
                next,
                undefined,
                /sshd -T does not name/,
            ],
            ["settings with other files for host keys", () => sshd.set(""), next, undefined, /does not name/],
            [
                "another key than the one that is to come",
                () => {},
                next,
                newSshKeyPair("x").publicKey,
                /is not the key that/,
            ],
            ["what is no key", () => {}, { ...next, privateKey: "no key\n" }, undefined, /is not the key that comes/],
        ];
    for (const [title, prepare, key, publicKey, why] of refused) {
        it(`refuses ${title}, and leaves the former key`, async () => {
            const before = readFileSync(file, "utf8");
            const real = file;
            prepare();
            if (title.includes("other files")) file = join(sshd.folder, "elsewhere");
            const { code, stderr } = await place(key, publicKey);
            assert.equal(code, exitCodes.ROTATION_FAILED, stderr);
            assert.match(stderr, why);
            assert.doesNotMatch(stderr, /PRIVATE/);
            assert.equal(readFileSync(real, "utf8"), before);
            assert.equal(existsSync(`${file}.nfv-new`), false);
            assert.equal(await shows(sshd.hostKeys[0]!), "yes");
        });
    }
});
