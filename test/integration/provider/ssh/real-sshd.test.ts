import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connections, parseHostKey } from "../../../../provider/ssh";
import { ensurePackages } from "../../../../tools/system-packages";
import { until } from "../../../support/eventually";
import { skipIf } from "../../../support/skip";
import { ordinaryUser, RealSshd, whyNoSshd } from "./real-sshd";

const connections = new Connections();

describe("SSH against a real sshd", () => {
    let sshd: RealSshd;
    const at = (name: string) => join(sshd.folder, name);
    const say = (text: string) => console.log(`    ${text}`);
    const root = () => connections.to(sshd.targetOf("root"));

    before(async function () {
        if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
            await ensurePackages(["openssh-server", "sudo"], "tests with a real sshd", { onProgress: say });
        }
        skipIf(this, whyNoSshd());
        sshd = await RealSshd.start();
    });
    after(() => sshd?.stop());
    afterEach(() => connections.close());

    it("brings argv, input, output and exit codes through as they are", async () => {
        const argv = ["printf", "%s|", "a b", "$HOME", "it's", "", "-n", "\\n", "ü"];
        assert.equal((await root().exec(argv)).stdout, "a b|$HOME|it's||-n|\\n|ü|");
        assert.deepEqual(await root().exec(["sh", "-c", "cat; echo no >&2; exit 7"], { stdin: "in" }), {
            code: 7,
            stdout: "in",
            stderr: "no\n",
        });
        assert.equal((await root().exec(["sh", "-c", "kill -9 $$"])).code, 137);
        assert.equal((await root().exec(["/no/such/program"])).code, 127);
    });

    it("runs more commands side by side than MaxSessions allows", async () => {
        const results = await Promise.all(
            Array.from({ length: 30 }, (_, i) => root().exec(["sh", "-c", `sleep 0.05; echo ${i}`])),
        );
        assert.deepEqual(
            results.map(each => Number(each.stdout)),
            Array.from({ length: 30 }, (_, i) => i),
        );
    });

    it("ends the command on the machine when its time is over", async function () {
        this.timeout("20m");
        // an undisturbed sleep would last longer than the wait
        const marker = `9001.${process.pid}`;
        const call = root().exec(["sleep", marker], { timeoutSeconds: 0.5 });
        await assert.rejects(call, { code: "STEP_TIMEOUT" });
        const runs = () => spawnSync("pgrep", ["-f", `^sleep ${marker}`]).status === 0;
        // a machine under load needs long to close a connection
        await until(600, () => !runs());
    });

    it("writes files so that a reader never sees a part of one", async () => {
        const path = at("atomic/deep/file");
        const versions = [1, 2].map(n => Buffer.alloc(2_000_000, n));
        await root().writeFile(path, versions[0]);
        let done = false;
        let reads = 0;
        const seen = new Set<string>();
        const reader = (async () => {
            while (!done) {
                const content = readFileSync(path);
                seen.add(`${content.length}:${content[0]}:${content[content.length - 1]}`);
                reads++;
                await sleep(1);
            }
        })();
        for (let i = 0; i < 10; i++) {
            await root().writeFile(path, versions[(i + 1) % 2]);
        }
        done = true;
        await reader;
        assert.deepEqual([...seen].sort(), ["2000000:1:1", "2000000:2:2"]);
        assert.ok(reads > 20);
        assert.deepEqual(readdirSync(at("atomic/deep")), ["file"], "nothing else is left");
        assert.equal(statSync(at("atomic")).mode & 0o777, 0o755);
    });

    it("sets mode and owner, also of an empty file and of one with a strange name", async () => {
        const path = at("a 'b' $c -d");
        await root().writeFile(path, "", { mode: 0o4640, owner: "daemon:games" });
        const { mode, uid, gid, size } = statSync(path);
        assert.deepEqual({ mode: mode & 0o7777, uid, gid, size }, { mode: 0o4640, uid: 1, gid: 60, size: 0 });
        assert.equal((await root().readFile(path))?.length, 0);
        assert.equal(await root().readFile(at("missing")), undefined);
    });

    it("leaves the old file and no other when a write fails", async () => {
        await root().writeFile(at("kept"), "old");
        await assert.rejects(root().writeFile(at("kept"), "new", { owner: "no-such-user" }), {
            code: "TRANSFER_FAILED",
            message: /no-such-user/,
        });
        assert.equal(readFileSync(at("kept"), "utf8"), "old");
        await assert.rejects(root().writeFile("/proc/nothing/here", "x"), { code: "TRANSFER_FAILED" });
        assert.equal(readdirSync(sshd.folder).filter(name => name.startsWith(".nfv-")).length, 0);
    });

    it("goes on with an upload where a cut connection stopped it", async () => {
        const content = randomBytes(48_000_000);
        writeFileSync(at("local"), content);
        const sha256 = createHash("sha256").update(content).digest("hex");
        const starts: number[] = [];
        let cut = false;
        let last = Number.POSITIVE_INFINITY;
        const onProgress = (sent: number) => {
            if (sent <= last && starts.length < 10) {
                starts.push(sent);
            }
            last = cut || sent < 20_000_000 ? sent : Number.POSITIVE_INFINITY;
            if (!cut && sent >= 20_000_000) {
                cut = true;
                assert.ok(sshd.cut() > 0);
            }
        };
        await root().upload(at("local"), at("remote"), { sha256, mode: 0o755, onProgress });
        assert.ok(cut);
        assert.ok(readFileSync(at("remote")).equals(content));
        assert.equal(statSync(at("remote")).mode & 0o777, 0o755);
        assert.ok(starts.at(-1)! > 5_000_000, `it began again at ${starts.at(-1)}`);
        assert.deepEqual(
            readdirSync(sshd.folder).filter(name => name.endsWith(".part")),
            [],
        );
    });

    it("begins an upload anew when what is there is not its beginning", async () => {
        const content = randomBytes(100_000);
        writeFileSync(at("local2"), content);
        const sha256 = createHash("sha256").update(content).digest("hex");
        writeFileSync(at(`.remote2.${sha256.slice(0, 16)}.part`), randomBytes(50_000));
        await root().upload(at("local2"), at("remote2"), { sha256 });
        assert.ok(readFileSync(at("remote2")).equals(content));
    });

    it("negotiates the kind of host key that is given, and refuses another", async () => {
        for (const key of sshd.hostKeys) {
            for (const hostKey of [key, parseHostKey(key).fingerprint]) {
                const connection = connections.to({ ...sshd.targetOf("root"), hostKey });
                assert.equal((await connection.exec(["true"])).code, 0);
                assert.equal(connection.hostKey, key.split(" ").slice(0, 2).join(" "));
            }
        }
        const other = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU";
        const wrong = connections.to({ ...sshd.targetOf("root"), hostKey: other });
        await assert.rejects(wrong.exec(["touch", at("never")]), { code: "HOST_KEY_CHANGED" });
        assert.ok(!existsSync(at("never")));
    });

    it("goes through itself as a jump host, as a user without rights", async () => {
        const far = connections.to({ ...sshd.targetOf("root"), jump: sshd.targetOf(ordinaryUser) });
        assert.equal((await far.exec(["id", "-u"])).stdout, "0\n");
    });

    it("acts as root through sudo for another user", async function () {
        const connection = connections.to(sshd.targetOf(ordinaryUser));
        if (!existsSync("/usr/bin/sudo")) {
            await assert.rejects(connection.exec(["id"]), { code: "SUDO_REFUSED" });
            skipIf(this, "sudo is not installed and could not be; only its refusal was tested");
        }
        assert.equal((await connection.exec(["id", "-u"])).stdout, "0\n");
        await connection.writeFile(at("by-sudo"), "x", { mode: 0o600 });
        assert.equal(statSync(at("by-sudo")).uid, 0);
    });
});
