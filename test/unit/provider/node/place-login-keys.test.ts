import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { placeLoginKeys } from "../../../../provider/node/place-login-keys";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { quoteWord } from "../../../../provider/shell/quote";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const [first, second, foreign] = ["AAAAfirst+/=", "AAAAsecond+/=", "AAAAforeign"].map(blob => `ssh-ed25519 ${blob}`);

describe("the script that places login keys", () => {
    let shell: ShellRun;
    const path = (user: string, file = ".ssh/authorized_keys") => join(shell.folder, "home", user, file);
    const write = (file: string, text: string, mode = 0o600) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text, { mode });
    };
    const read = (file: string) => readFileSync(file, "utf8");
    /** `sshd`: what it says of its settings. `refuses`: nothing that is written stays. */
    const run = (keys: string[], gone: string[] = [], { sshd = "", refuses = false } = {}) => {
        const { run: text, env } = placeLoginKeys({ user: "nfv", keys, gone });
        const values = Object.entries(env!).map(([name, value]) => `${name}=${quoteWord(value)}`);
        return shell.run(`
            sync() { :; }
            id() { echo 1000; }
            sshd() { printf '%s\\n' ${quoteWord(sshd)}; }
            setpriv() { echo "$1" >> by; while [ "$1" != -- ]; do shift; done; shift; "$@"; }
            getent() {
                for each in root nfv debian daemon; do
                    [ "\${2:-$each}" = "$each" ] || continue
                    echo "$each:x:0:0::${shell.folder}/home/$each:/bin/sh"
                done
            }
            ${refuses ? `setpriv() { while [ "$1" != -- ]; do shift; done; [ "$6" = has ] || return 0; shift; "$@"; }` : ""}
            ${values.join("\n")}
            ${text}`);
    };
    const ran = (...given: Parameters<typeof run>) => {
        const { status, stderr, stdout } = run(...given);
        assert.equal(status, 0, stderr);
        return stdout;
    };

    beforeEach(() => {
        shell = shellIn("sh");
        write(path("nfv"), `${first} pulumi-nfv\n${foreign} mine\n`);
    });
    afterEach(() => shell.remove());

    it("lets another key in beside the former one, once, and leaves what others wrote", () => {
        ran([first!, second!]);
        ran([first!, second!]);
        assert.equal(read(path("nfv")), `${first} pulumi-nfv\n${foreign} mine\n${second}\n`);
        assert.equal(statSync(path("nfv")).mode & 0o777, 0o600);
    });

    it("begins a line of its own where the file ends in the middle of one", () => {
        write(path("nfv"), `${first} pulumi-nfv`);
        ran([first!, second!]);
        assert.equal(read(path("nfv")), `${first} pulumi-nfv\n${second}\n`);
    });

    it("makes a file that is not there, for its user alone", () => {
        shell.run(`rm -r home/nfv/.ssh; mkdir -p home/nfv`);
        ran([second!]);
        assert.equal(read(path("nfv")), `${second}\n`);
        assert.equal(statSync(path("nfv")).mode & 0o777, 0o600);
        assert.equal(statSync(dirname(path("nfv"))).mode & 0o777, 0o700);
    });

    it("ends a former key for every user, wherever sshd looks, as that user", () => {
        write(path("debian"), `${foreign} x\nfrom="10.0.0.0/8" ${first} key pair\n`);
        write(path("root", ".ssh/authorized_keys2"), `no-pty ${first}\n`);
        const said = ran([second!], [first!]);
        assert.equal(read(path("nfv")), `${foreign} mine\n${second}\n`);
        assert.equal(read(path("debian")), `${foreign} x\n`);
        assert.equal(read(path("root", ".ssh/authorized_keys2")), "");
        assert.doesNotMatch(said, /AAAA/);
        const by = new Set(read(join(shell.folder, "by")).trim().split("\n"));
        assert.deepEqual([...by].sort(), ["--reuid=debian", "--reuid=nfv", "--reuid=root"]);
        assert.equal(existsSync(path("daemon")), false);
    });

    it("follows sshd's own setting, and writes through a user's link", () => {
        write(path("nfv", "dotfiles/keys"), `${first}\n`);
        symlinkSync(path("nfv", "dotfiles/keys"), path("nfv", ".ssh/linked"));
        ran([second!], [first!], { sshd: "port 22\nauthorizedkeysfile %h/.ssh/linked none" });
        assert.equal(read(path("nfv", "dotfiles/keys")), `${second}\n`);
        assert.match(read(path("nfv")), /first/, "sshd does not read this one");
    });

    it("ends no key where the new one did not stay", () => {
        const { status, stderr } = run([second!], [first!], { refuses: true });
        assert.equal(status, exitCodes.ROTATION_FAILED, stderr);
        assert.match(stderr, /authorized_keys did not keep the new key/);
        assert.match(read(path("nfv")), /first/);
    });

    it("says so where there is no such user", () => {
        const { run: text } = placeLoginKeys({ user: "nfv", keys: [second!], gone: [] });
        const { status, stderr } = shell.run(
            `getent() { :; }\nsshd() { :; }\nLOGIN_USER=nobody-here KEYS=x GONE=\n${text}`,
        );
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /there is no user nobody-here/);
    });
});
