import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connections } from "../../../../provider/ssh";
import { ensurePackages } from "../../../../tools/system-packages";
import { skipIf } from "../../../support/skip";
import { ordinaryUser, RealSshd, whyNoSshd } from "./real-sshd";

describe("logins that are not as usual, against a real sshd", () => {
    const connections = new Connections();
    let sshd: RealSshd | undefined;

    before(async function () {
        if (process.getuid?.() === 0) await ensurePackages(["openssh-server", "sudo"], "tests with a real sshd");
        skipIf(this, whyNoSshd());
    });
    afterEach(async () => {
        await connections.close();
        await sshd?.stop();
        sshd = undefined;
    });
    /** The user's login, with this start file of its shell. */
    const loginWith = async (startFile: string, shell = "/bin/bash") => {
        sshd = await RealSshd.start([], shell);
        const file = join(sshd.folder, ".bashrc");
        writeFileSync(file, startFile);
        chmodSync(file, 0o644);
        return connections.to(sshd.targetOf(ordinaryUser));
    };

    it("drops what the start file of the login shell prints, and no more", async () => {
        const login = await loginWith(
            "echo 'Welcome to a node of pulumi-nfv: hands off'; echo 'noted=core-1 m1'; printf no-newline\n",
        );
        assert.deepEqual(await login.exec(["sh", "-c", "id -u; cat; echo no >&2; exit 7"], { stdin: "in\n" }), {
            code: 7,
            stdout: "0\nin\n",
            stderr: "no\n",
        });
        const path = join(sshd!.folder, "file");
        await login.writeFile(path, "content\n");
        assert.equal(String(await login.readFile(path)), "content\n");
        const streamed: string[] = [];
        await login.exec(["sh", "-c", "echo a; sleep 0.1; echo b"], { onOutput: text => streamed.push(text) });
        assert.equal(streamed.join(""), "a\nb\n");
    });

    const ended: Record<string, [startFile: string, shell: string, RegExp]> = {
        "whose start file ends it": [
            "echo no entry today; exit 3\n",
            "/bin/bash",
            /user nfv-test ran no command and ended with code 3: no entry today/,
        ],
        "that lets nobody in": [
            "",
            "/usr/sbin/nologin",
            /ran no command and ended with code 1: This account is currently not available/,
        ],
    };
    for (const [what, [startFile, shell, text]] of Object.entries(ended)) {
        it(`says so of a login shell ${what}, before anything is done`, async () => {
            const login = await loginWith(startFile, shell);
            await assert.rejects(login.exec(["true"]), { code: "CONNECT_FAILED", message: text });
        });
    }

    it("works with MaxSessions 1: what runs beside another command gets a connection of its own", async () => {
        sshd = await RealSshd.start(["MaxSessions 1"]);
        for (const user of ["root", ordinaryUser]) {
            const login = connections.to(sshd.targetOf(user));
            const began = Date.now();
            const long = login.exec(["sh", "-c", "sleep 3; echo long"]);
            await sleep(300);
            for (const word of ["one", "two", "three"])
                assert.equal((await login.exec(["echo", word])).stdout, `${word}\n`);
            assert.ok(Date.now() - began < 2800, "they did not wait for the long one");
            assert.equal((await long).stdout, "long\n");
            const many = Array.from({ length: 8 }, (_, i) => login.exec(["sh", "-c", `sleep 0.05; echo ${i}`]));
            assert.deepEqual(
                (await Promise.all(many)).map(({ stdout }) => Number(stdout)),
                many.map((_, i) => i),
            );
            for (let i = 0; i < 8; i++) assert.equal((await login.exec(["echo", `${i}`])).stdout, `${i}\n`);
        }
    });

    it("names MaxSessions where it is 0, before anything is done", async () => {
        sshd = await RealSshd.start(["MaxSessions 0"]);
        for (const user of ["root", ordinaryUser]) {
            await assert.rejects(connections.to(sshd.targetOf(user)).exec(["true"]), {
                code: "CONNECT_FAILED",
                message: /opens no session for commands[\s\S]*MaxSessions/,
            });
        }
    });
});
