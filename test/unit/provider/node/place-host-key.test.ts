import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placeHostKey } from "../../../../provider/node/place-host-key";
import { quoteWord } from "../../../../provider/shell/quote";
import { usualPath } from "../../../../provider/shell/script";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const [former, next] = ["ssh-ed25519 AAAAformer", "ssh-ed25519 AAAAnext"];

/** What a real sshd does with it: test/integration/provider/node/place-host-key.test.ts. Here a private key is a file that has the public one. */
describe("the script that places a host key", () => {
    let shell: ShellRun;
    const key = () => join(shell.folder, "key");
    const ran = () => {
        const { run, env } = placeHostKey(next, "");
        const values = Object.entries({ ...env, HOST_KEY: key() }).map(
            ([name, value]) => `${name}=${quoteWord(value)}`,
        );
        const { status, stderr } = shell.run(`${values.join("\n")}\n${run.replace(usualPath, "")}`);
        assert.equal(status, 0, stderr);
        return readFileSync(join(shell.folder, "calls"), "utf8").trim().split("\n");
    };

    beforeEach(() => {
        shell = shellIn("sh");
        shell.program("ssh-keygen", 'shift 4; echo "$(cat "$1") comment"');
        shell.program("sshd", `echo "hostkey ${key()}"`);
        shell.program("systemctl", 'case $* in *is-active*) exit 0 ;; esac; echo "systemctl $*" >>calls');
        shell.program("sync", `shift; echo "sync $(ls "$@" | tr '\\n' ' ')" >>calls; [ ! -e full ] || exit 1`);
        writeFileSync(key(), `${former}\n`, { mode: 0o600 });
        writeFileSync(`${key()}.pub`, `${former}\n`);
        writeFileSync(`${key()}.nfv-new`, `${next}\n`, { mode: 0o600 });
    });
    afterEach(() => shell.remove());

    it("has the key and its renaming on the disk before sshd reads it: a power failure must not bring the former one back", () => {
        const calls = ran();
        assert.match(calls.at(-2)!, /^sync .*\bkey key\.pub /, "the folder, when both are in their places");
        assert.equal(calls.at(-1), "systemctl reload ssh.service");
        assert.equal(readFileSync(key(), "utf8"), `${next}\n`);
        assert.equal(readFileSync(`${key()}.pub`, "utf8"), `${next}\n`);
    });

    it("changes nothing where the disk is full", () => {
        writeFileSync(join(shell.folder, "full"), "");
        assert.throws(ran);
        assert.equal(readFileSync(key(), "utf8"), `${former}\n`);
        assert.equal(readFileSync(`${key()}.pub`, "utf8"), `${former}\n`);
        assert.ok(!existsSync(`${key()}.nfv-new`));
    });
});
