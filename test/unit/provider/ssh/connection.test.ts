import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NfvError } from "../../../../provider/common/errors";
import { Connections } from "../../../../provider/ssh";
import { limits } from "../../../../provider/ssh/connection";
import { poolKey } from "../../../../provider/ssh/connections";
import { pauses } from "../../../../provider/ssh/dial";
import { parseHostKey } from "../../../../provider/ssh/host-keys";
import type { SshTarget } from "../../../../provider/ssh/types";
import type { FakeBehaviour, FakeNode } from "../../../../testing";
import { FakeFleet, newKeyPair } from "../../../../testing";
import { skipIf } from "../../../support/skip";

const connections = new Connections();

describe("a connection", () => {
    const fleets: FakeFleet[] = [];
    const { firstMs } = pauses;
    // Other files of this process do not wait.
    before(() => {
        pauses.firstMs = 200;
    });
    after(() => {
        pauses.firstMs = firstMs;
    });
    async function node(behaviour: FakeBehaviour = {}): Promise<FakeNode> {
        const fleet = await FakeFleet.start({ nodes: ["a"], ...behaviour });
        fleets.push(fleet);
        return fleet.node("a").on({ startsWith: ["echo"] }, call => ({ stdout: `${call.argv.slice(1).join(" ")}\n` }));
    }
    async function failure(work: Promise<unknown>): Promise<NfvError> {
        return work.then(
            () => assert.fail("it should have failed"),
            (error: NfvError) => error,
        );
    }
    afterEach(async () => {
        await connections.close();
        await Promise.all(fleets.splice(0).map(fleet => fleet.stop()));
    });

    describe("of commands", () => {
        it("gives exit code, output, and 128 + n for a signal", async () => {
            const a = (await node())
                .on(["false"], { code: 3, stdout: "out", stderr: "err" })
                .on(["killed"], { signal: "KILL" });
            const connection = connections.to(a.target);
            assert.deepEqual(await connection.exec(["false"]), { code: 3, stdout: "out", stderr: "err" });
            assert.equal((await connection.exec(["killed"])).code, 137);
        });

        it("sends standard input, of any size, and tells output as it comes", async () => {
            const a = (await node()).on(["cat"], call => ({ stdout: call.stdin }));
            const heard: string[] = [];
            const onOutput = (chunk: string, stream: string) => heard.push(`${stream}:${chunk}`);
            assert.equal((await connections.to(a.target).exec(["cat"], { stdin: "grüße", onOutput })).stdout, "grüße");
            assert.equal(heard.join(""), "stdout:grüße");
            await connections.to(a.target).exec(["cat"], { stdin: Buffer.alloc(5_000_000) });
        });

        it("hands on output without end and keeps its last part; an answer without end is an error", async () => {
            const long = Buffer.alloc(70 * 1024 * 1024, "x");
            const a = (await node()).on(["log"], { stdout: long, stderr: "why\n" }).on(["answer"], { stdout: long });
            let heard = 0;
            const onOutput = (chunk: string, stream: string) => {
                if (stream === "stdout") heard += chunk.length;
            };
            const { stdout, stderr } = await connections.to(a.target).exec(["log"], { onOutput });
            assert.equal(heard, long.length);
            assert.ok(stdout.length >= 1024 * 1024 && stdout.length <= 2 * 1024 * 1024, `${stdout.length} are kept`);
            assert.equal(stderr, "why\n");
            const error = await failure(connections.to(a.target).exec(["answer"]));
            assert.equal(error.code, "STEP_FAILED");
            assert.match(error.message, /ran answer, which printed more than 64 MiB/);
        });

        it("uses one connection, pooled by target, for calls side by side", async () => {
            const a = await node();
            const results = await Promise.all(
                Array.from({ length: 30 }, (_, i) => connections.to({ ...a.target }).exec(["echo", `${i}`])),
            );
            assert.deepEqual(
                results.map(each => Number(each.stdout)),
                Array.from({ length: 30 }, (_, i) => i),
            );
            assert.equal(fleets[0].events.filter(each => each.event === "connect").length, 1);
        });

        it("never has more sessions open than sshd allows, even if that is fewer than usual", async () => {
            const a = (await node({ maxSessions: 3 })).on(["slow"], { delaySeconds: 0.02 });
            const results = await Promise.all(
                Array.from({ length: 20 }, () => connections.to(a.target).exec(["slow"])),
            );
            assert.ok(results.every(each => each.code === 0));
            assert.equal(a.seen(["slow"]).length, 20, "none is run twice");
        });

        it("throws STEP_TIMEOUT at the deadline and ends the command", async () => {
            const a = (await node()).on(["sleep"], { hang: true });
            const error = await failure(connections.to(a.target).exec(["sleep"], { timeoutSeconds: 0.2, stdin: "x" }));
            assert.equal(error.code, "STEP_TIMEOUT");
            assert.equal((await connections.to(a.target).exec(["echo", "on"])).stdout, "on\n");
        });

        it("stops when the caller aborts, before, while waiting and while running", async () => {
            const a = (await node()).on(["sleep"], { hang: true });
            const connection = connections.to(a.target);
            const reason = new Error("enough");
            await assert.rejects(connection.exec(["echo"], { signal: AbortSignal.abort(reason) }), reason);
            const controller = new AbortController();
            const calls = Array.from({ length: 12 }, () => connection.exec(["sleep"], { signal: controller.signal }));
            const all = Promise.allSettled(calls);
            await sleep(200);
            controller.abort(reason);
            assert.ok((await all).every(each => each.status === "rejected" && each.reason === reason));
            assert.equal((await connection.exec(["echo", "on"])).stdout, "on\n");
        });
    });

    describe("that breaks", () => {
        it("fails what is under way with CONNECTION_LOST and is opened again at the next call", async () => {
            const a = (await node()).cutAt(["echo", "1"]);
            const connection = connections.to(a.target);
            assert.equal((await failure(connection.exec(["echo", "1"]))).code, "CONNECTION_LOST");
            assert.equal((await connection.exec(["echo", "2"])).stdout, "2\n");
        });

        it("before a command was sent is opened again at once: nothing fails", async () => {
            const a = await node();
            const connection = connections.to(a.target);
            for (let i = 0; i < 5; i++) {
                a.cut();
                assert.equal((await connection.exec(["echo", `${i}`])).stdout, `${i}\n`);
            }
            assert.equal(a.seen({ startsWith: ["echo"] }).length, 5);
        });

        it("is noticed by keep-alive when the other side is silent", async () => {
            const a = (await node()).on(["sleep"], { hang: true });
            const connection = connections.to({ ...a.target, keepAliveSeconds: 0.1 });
            const call = failure(connection.exec(["sleep"]));
            await sleep(150);
            a.server.freeze();
            assert.equal((await call).code, "CONNECTION_LOST");
        });

        it("fails with CONNECT_FAILED only after the connect timeout, and says what was seen", async () => {
            const a = await node();
            const { target } = a;
            await a.powerOff();
            const begin = Date.now();
            const error = await failure(connections.to({ ...target, connectTimeoutSeconds: 1 }).exec(["echo"]));
            assert.equal(error.code, "CONNECT_FAILED");
            assert.match(error.message, /127\.0\.0\.1:\d+ refused the connection, tried for 1 s/);
            assert.ok(Date.now() - begin > 400);
        });

        it("waits for a machine that is still booting", async () => {
            const a = await node();
            const { target } = a;
            await a.powerOff();
            const call = connections.to(target).exec(["echo", "up"]);
            await sleep(500);
            await a.powerOn();
            assert.equal((await call).stdout, "up\n");
        });

        it("does not wait for ever for a server that accepts and is silent", async () => {
            const silent = createServer(() => {}).listen(0, "127.0.0.1");
            await new Promise(resolve => silent.once("listening", resolve));
            const { port } = silent.address() as { port: number };
            const target = { host: "127.0.0.1", port, password: "x", connectTimeoutSeconds: 0.5 };
            assert.equal((await failure(connections.to(target).exec(["echo"]))).code, "CONNECT_FAILED");
            silent.close();
        });

        it("is closed by close() only when nothing runs on it", async () => {
            const a = (await node()).on(["slow"], { delaySeconds: 0.1, stdout: "done" });
            const connection = connections.to(a.target);
            const call = connection.exec(["slow"]);
            await connection.close();
            assert.equal((await call).stdout, "done");
            assert.equal((await connection.exec(["echo", "again"])).stdout, "again\n");
        });
    });

    describe("and host keys", () => {
        it("are pinned at first use and a changed one is refused with both fingerprints", async () => {
            const a = await node();
            const old = a.hostKey;
            const connection = connections.to({ ...a.target, hostKey: undefined });
            assert.equal(connection.hostKey, undefined);
            await connection.exec(["echo"]);
            assert.equal(connection.hostKey, old);
            a.changeHostKey();
            await sleep(50);
            const error = await failure(connection.exec(["echo"]));
            assert.equal(error.code, "HOST_KEY_CHANGED");
            assert.ok(error.message.includes(`shows ${parseHostKey(a.hostKey).fingerprint}`), error.message);
            assert.ok(error.message.includes(`recorded is ${parseHostKey(old).fingerprint}`), error.message);
        });

        it("that were pinned are forgotten only when asked for", async () => {
            const a = await node();
            const target = { ...a.target, hostKey: undefined };
            await connections.to(target).exec(["echo"]);
            a.changeHostKey();
            await sleep(50);
            assert.equal((await failure(connections.to(target).exec(["echo"]))).code, "HOST_KEY_CHANGED");
            await connections.forget(target);
            assert.equal((await connections.to(target).exec(["echo"])).code, 0);
            assert.equal(connections.to(target).hostKey, a.hostKey);
        });

        it("may be given as key or fingerprint; a wrong one is refused at once and nothing is sent", async () => {
            const a = await node();
            const { fingerprint } = parseHostKey(a.hostKey);
            assert.equal((await connections.to({ ...a.target, hostKey: fingerprint }).exec(["echo", "1"])).code, 0);
            const other = (await node()).hostKey;
            for (const hostKey of [other, parseHostKey(other).fingerprint]) {
                // A retry would last longer than the test may.
                const target = { ...a.target, hostKey, connectTimeoutSeconds: 3600 };
                assert.equal((await failure(connections.to(target).exec(["echo", "2"]))).code, "HOST_KEY_CHANGED");
            }
            assert.equal(a.seen(["echo", "2"]).length, 0);
        });

        it("of a host that has several are negotiated by the type that was given", async () => {
            const a = await node();
            const ecdsa = newKeyPair("ecdsa");
            const rsa = newKeyPair("rsa");
            a.server.setHostKeys([newKeyPair().private, ecdsa.private, rsa.private]);
            assert.equal(a.server.publicHostKeys.length, 3);
            for (const hostKey of a.server.publicHostKeys.flatMap(key => [key, parseHostKey(key).fingerprint])) {
                assert.equal((await connections.to({ ...a.target, hostKey }).exec(["echo"])).code, 0, hostKey);
            }
        });
    });

    describe("and logins", () => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-ssh-"));
        const passphrase = "canary-passphrase";
        const locked = newKeyPair("ed25519", passphrase);
        const open = newKeyPair();
        const base = ({ host, port, hostKey }: SshTarget): SshTarget => ({ host, port, hostKey });
        after(() => rmSync(folder, { recursive: true }));

        it("work by a passphrase-protected key; a wrong or missing passphrase is an error without secrets", async () => {
            const a = await node({ authorizedKeys: [locked.public] });
            const target = { ...base(a.target), privateKey: locked.private };
            assert.equal((await connections.to({ ...target, passphrase }).exec(["echo"])).code, 0);
            for (const wrong of [{ passphrase: "wrong-canary" }, {}]) {
                const error = await failure(connections.to({ ...target, ...wrong }).exec(["echo"]));
                assert.equal(error.code, "INVALID_INPUT");
                assert.match(error.message, /passphrase/);
                assert.doesNotMatch(JSON.stringify(error) + error.stack, /canary|BEGIN OPENSSH/);
            }
        });

        it("by a key that is no key say so without showing it", async () => {
            const a = await node();
            const error = await failure(
                connections.to({ ...base(a.target), privateKey: "canary\nkey" }).exec(["echo"]),
            );
            assert.equal(error.code, "INVALID_INPUT");
            assert.doesNotMatch(error.message, /canary/);
        });

        it("work by password, also where the server only asks interactively", async () => {
            for (const onlyKeyboardInteractive of [false, true]) {
                const a = await node({ password: "right", onlyKeyboardInteractive });
                assert.equal((await connections.to({ ...base(a.target), password: "right" }).exec(["echo"])).code, 0);
                const error = await failure(
                    connections.to({ ...base(a.target), password: "wrong-canary" }).exec(["echo"]),
                );
                assert.equal(error.code, "AUTHENTICATION_FAILED");
                assert.doesNotMatch(error.message, /canary/);
            }
        });

        it("are tried once: a refused key is final at once", async () => {
            const a = await node();
            const target = { ...base(a.target), privateKey: open.private, connectTimeoutSeconds: 3600 };
            const error = await failure(connections.to(target).exec(["echo"]));
            assert.equal(error.code, "AUTHENTICATION_FAILED");
            assert.match(error.message, /refused user root, offered: publickey/);
        });

        it("work by a real ssh-agent", async function () {
            skipIf(
                this,
                spawnSync("sh", ["-c", "command -v ssh-agent ssh-add"]).status !== 0 &&
                    "ssh-agent and ssh-add are not installed",
            );
            const socket = join(folder, "agent");
            const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
            try {
                for (let i = 0; i < 50 && !existsSync(socket); i++) {
                    await sleep(20);
                }
                writeFileSync(join(folder, "key"), open.private, { mode: 0o600 });
                const added = spawnSync("ssh-add", ["-q", join(folder, "key")], {
                    env: { ...process.env, SSH_AUTH_SOCK: socket },
                });
                assert.equal(added.status, 0, added.stderr.toString());
                const a = await node({ authorizedKeys: [open.public] });
                assert.equal((await connections.to({ ...base(a.target), agent: socket }).exec(["echo"])).code, 0);
            } finally {
                agent.kill();
            }
        });

        it("go through a jump host, and through two", async () => {
            const [a, b, c] = [await node(), await node(), await node()];
            const target = { ...c.target, jump: { ...b.target, user: "jumper", jump: a.target } };
            assert.equal((await connections.to(target).exec(["echo", "far"])).stdout, "far\n");
            assert.equal(b.commands.length, 0);
            assert.equal((await connections.to({ ...b.target, jump: a.target }).exec(["echo"])).code, 0);
            a.cut();
            assert.equal((await connections.to(target).exec(["echo", "again"])).stdout, "again\n");
        });

        it("through a jump host that does not forward say so", async () => {
            const [a, b] = [await node({ forwarding: false }), await node()];
            const error = await failure(
                connections.to({ ...b.target, jump: a.target, connectTimeoutSeconds: 1 }).exec(["echo"]),
            );
            assert.equal(error.code, "CONNECT_FAILED");
            assert.match(error.message, /through 127\.0\.0\.1/);
        });

        it("of users other than root do not wait for ever for sudo", async () => {
            const hanging = (await node()).on(["true"], { hang: true });
            const connection = connections.to({ ...hanging.target, user: "debian" });
            const { sudoSeconds } = limits;
            limits.sudoSeconds = 0.3;
            try {
                const error = await failure(connection.exec(["echo"]));
                assert.equal(error.code, "STEP_TIMEOUT");
                assert.match(error.message, /ran sudo for more than 0\.3 s/);
            } finally {
                limits.sudoSeconds = sudoSeconds;
            }
        });

        it("of users other than root run everything through sudo", async () => {
            const a = await node();
            const connection = connections.to({ ...a.target, user: "debian" });
            await connection.exec(["echo", "a b"]);
            assert.deepEqual(
                a.seen(["echo", "a b"]).map(({ user, sudo }) => ({ user, sudo })),
                [{ user: "debian", sudo: true }],
            );
            const refusing = await node({ sudo: false });
            const error = await failure(connections.to({ ...refusing.target, user: "debian" }).exec(["echo"]));
            assert.equal(error.code, "SUDO_REFUSED");
            assert.equal(refusing.seen(["echo"]).length, 0);
        });

        it("says what to do where sudo wants a terminal", async () => {
            const a = await node();
            const stderr = "sudo: sorry, you must have a tty to run sudo\n";
            a.on({ startsWith: ["sudo"] }, { code: 1, stderr });
            a.on({ startsWith: ["true"] }, { code: 1, stderr });
            const error = await failure(connections.to({ ...a.target, user: "debian" }).exec(["echo"]));
            assert.match(error.message, /in a file of \/etc\/sudoers\.d write "Defaults:debian !requiretty"/);
        });
    });

    it("is named in the pool by place only", () => {
        const secrets = { privateKey: "canary1", passphrase: "canary2", password: "canary3" };
        const key = poolKey({ host: "10.0.0.1", ...secrets, jump: { host: "10.0.0.2", ...secrets } });
        assert.match(key, /^root@10\.0\.0\.1:22#[0-9a-f]{16} via root@10\.0\.0\.2:22#[0-9a-f]{16}$/);
        assert.notEqual(poolKey({ host: "a", password: "1" }), poolKey({ host: "a", password: "2" }));
    });
});
