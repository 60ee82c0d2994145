import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { placeLoginKeys } from "../../../../provider/node/place-login-keys";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { quoteWord } from "../../../../provider/shell/quote";
import { usualPath } from "../../../../provider/shell/script";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const [first, second, foreign] = ["AAAAfirst+/=", "AAAAsecond+/=", "AAAAforeign"].map(blob => `ssh-ed25519 ${blob}`);

const users = ["root", "nfv", "debian", "daemon"];

describe("the script that places login keys", () => {
    let shell: ShellRun;
    const path = (user: string, file = ".ssh/authorized_keys") => join(shell.folder, "home", user, file);
    const write = (file: string, text: string, mode = 0o600) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text, { mode });
    };
    const read = (file: string) => readFileSync(file, "utf8");
    /** `refuses`: nothing can be written. */
    const run = (keys: string[], gone: string[] = [], { refuses = false } = {}) => {
        const { run: text, env } = placeLoginKeys({ user: "nfv", keys, gone });
        const homes = users.map(user => `${user}:x:0:0:Some:${shell.folder}/home/${user}:/bin/sh\n`);
        write(join(shell.folder, "passwd"), homes.join(""));
        const values = Object.entries(env!).map(([name, value]) => `${name}=${quoteWord(value)}`);
        return shell.run(`
            sync() { :; }
            id() { echo 1000; }
            setpriv() { echo "$1" >> by; while [ "$1" != -- ]; do shift; done; shift; "$@"; }
            getent() { grep "^\${2:-}" passwd; }
            ${refuses ? "setpriv() { return 1; }" : ""}
            ${values.join("\n")}
            ${text.replace(usualPath, "")}`);
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

    it("has a change and its renaming on the disk before it ends: the next run logs in by it", () => {
        shell.program("sync", `shift; echo "$*" >> ${shell.folder}/synced`);
        ran([second!]);
        assert.equal(read(join(shell.folder, "synced")), `${path("nfv")}.nfv-new\n${dirname(path("nfv"))}\n`);
    });

    it("makes a file that is not there, for its user alone", () => {
        shell.run(`rm -r home/nfv/.ssh; mkdir -p home/nfv`);
        ran([second!]);
        assert.equal(read(path("nfv")), `${second}\n`);
        assert.equal(statSync(path("nfv")).mode & 0o777, 0o600);
        assert.equal(statSync(dirname(path("nfv"))).mode & 0o777, 0o700);
    });

    it("ends a former key for every user, as that user", () => {
        write(path("debian"), `${foreign} x\nfrom="10.0.0.0/8" ${first} key pair\n`);
        write(path("root"), `no-pty ${first}\n`);
        const said = ran([second!], [first!]);
        assert.equal(read(path("nfv")), `${foreign} mine\n${second}\n`);
        assert.equal(read(path("debian")), `${foreign} x\n`);
        assert.equal(read(path("root")), "");
        assert.doesNotMatch(said, /AAAA/);
        const by = new Set(read(join(shell.folder, "by")).trim().split("\n"));
        assert.deepEqual([...by].sort(), ["--reuid=debian", "--reuid=nfv", "--reuid=root"]);
        assert.equal(existsSync(path("daemon")), false);
    });

    it("takes a comment for no key that lets somebody in", () => {
        write(path("nfv"), `${first} x\n  # ${second}\n`);
        ran([second!]);
        assert.equal(read(path("nfv")), `${first} x\n  # ${second}\n${second}\n`);
    });

    it("puts a file in the place of a user's link", () => {
        write(path("nfv", "dotfiles/keys"), `${first}\n`);
        shell.run("rm home/nfv/.ssh/authorized_keys");
        symlinkSync(path("nfv", "dotfiles/keys"), path("nfv"));
        ran([second!], [first!]);
        assert.equal(read(path("nfv")), `${second}\n`);
        assert.equal(read(path("nfv", "dotfiles/keys")), `${first}\n`);
    });

    it("fails where a file cannot be written", () => {
        const { status, stderr } = run([second!], [first!], { refuses: true });
        assert.equal(status, exitCodes.ROTATION_FAILED, stderr);
        assert.match(stderr, /authorized_keys cannot be changed as nfv/);
    });

    it("passes over what is no file, without waiting for it", () => {
        shell.run(
            "mkdir -p home/debian/.ssh home/daemon/.ssh/authorized_keys; mkfifo home/debian/.ssh/authorized_keys",
        );
        ran([second!], [first!]);
        shell.run("rm -r home/nfv/.ssh/*; mkfifo home/nfv/.ssh/authorized_keys");
        const { status, stderr } = run([second!]);
        assert.equal(status, exitCodes.ROTATION_FAILED, stderr);
        assert.match(stderr, /nfv\/\.ssh\/authorized_keys cannot be changed as nfv/);
    });

    it("says so where there is no such user", () => {
        const { run: text } = placeLoginKeys({ user: "nfv", keys: [second!], gone: [] });
        const { status, stderr } = shell.run(`getent() { :; }\nLOGIN_USER=nobody-here KEYS=x GONE=\n${text}`);
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /there is no user nobody-here/);
    });
});
