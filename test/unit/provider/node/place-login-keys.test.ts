import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { placeLoginKeys } from "../../../../provider/node/place-login-keys";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { quoteWord } from "../../../../provider/shell/quote";
import { usualPath } from "../../../../provider/shell/script";
import { skipIf } from "../../../support/skip";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const [first, second, foreign] = ["AAAAfirst+/=", "AAAAsecond+/=", "AAAAforeign"].map(blob => `ssh-ed25519 ${blob}`);

const users = ["root", "nfv", "debian", "daemon"];
type Homes = Record<string, string>;

describe("the script that places login keys", () => {
    let shell: ShellRun;
    const path = (user: string, file = ".ssh/authorized_keys") => join(shell.folder, "home", user, file);
    const write = (file: string, text: string, mode = 0o600) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text, { mode });
    };
    const read = (file: string) => readFileSync(file, "utf8");
    const usual = "authorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2";
    /** `sshd`: its settings. `refuses`: nothing that is written stays. `homes`: others, by user. */
    const run = (keys: string[], gone: string[] = [], { sshd = usual, refuses = false, homes = {} as Homes } = {}) => {
        const { run: text, env } = placeLoginKeys({ user: "nfv", keys, gone });
        const all = { ...Object.fromEntries(users.map(user => [user, `${shell.folder}/home/${user}`])), ...homes };
        write(
            join(shell.folder, "passwd"),
            Object.entries(all)
                .map(([user, home]) => `${user}:x:0:0:Some:${home}:/bin/sh\n`)
                .join(""),
        );
        const values = Object.entries(env!).map(([name, value]) => `${name}=${quoteWord(value)}`);
        return shell.run(`
            sync() { :; }
            id() { echo 1000; }
            sshd() { printf '%s\\n' ${quoteWord(sshd)}; }
            setpriv() { echo "$1" >> by; while [ "$1" != -- ]; do shift; done; shift; "$@"; }
            # below a home all is its user's
            stat() {
                for each; do
                    each=\${each#${shell.folder}}
                    case $each in /home/*) each=\${each#/home/}; echo "\${each%%/*}:1" ;; *) echo 0:0 ;; esac
                done
            }
            getent() { grep "^\${2:-}" passwd; }
            ${refuses ? `setpriv() { while [ "$1" != -- ]; do shift; done; [ "$6" = has ] || return 0; shift; "$@"; }` : ""}
            ${values.join("\n")}
            ${text.replace(usualPath, "").replaceAll("/etc/ssh", shell.folder)}`);
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

    it("takes a comment for no key, and leaves it", () => {
        write(path("nfv"), `${first} x\n  # ${second}\n#${first}\n`);
        ran([second!], [first!]);
        assert.equal(read(path("nfv")), `  # ${second}\n#${first}\n${second}\n`);
    });

    it("ends a former key below any home: names with spaces and with the signs of other tools", () => {
        const homes = Object.fromEntries(
            ["ann lee", "a|b&c", "100%", "x*y"].map(user => [user, join(shell.folder, "home", user)]),
        );
        for (const user of Object.keys(homes)) write(path(user), `${first}\n${foreign}\n`);
        ran([second!], [first!], { homes, sshd: "authorizedkeysfile %h/.ssh/authorized_keys .ssh/%u%%" });
        for (const user of Object.keys(homes)) assert.equal(read(path(user)), `${foreign}\n`, user);
    });

    it("passes over what is no file, without waiting for it", () => {
        shell.run(
            "mkdir -p home/debian/.ssh home/daemon/.ssh/authorized_keys; mkfifo home/debian/.ssh/authorized_keys",
        );
        ran([second!], [first!]);
        shell.run("rm -r home/nfv/.ssh/*; mkfifo home/nfv/.ssh/authorized_keys");
        const { status, stderr } = run([second!]);
        assert.equal(status, exitCodes.ROTATION_FAILED, stderr);
        assert.match(stderr, /nfv\/\.ssh\/authorized_keys cannot take the new key/);
    });

    it("looks at the files of any `Match`, too", () => {
        write(path("debian", "keys"), `${first}\n`);
        write(
            join(shell.folder, "sshd_config.d/x.conf"),
            'Match User debian\n  authorizedKeysFile = "%h/keys" none # ours\n',
        );
        ran([second!], [first!]);
        assert.equal(read(path("debian", "keys")), "");
    });

    it("writes through no link to a file of another owner", function () {
        skipIf(this, process.getuid!() !== 0 && "files of another owner can only be made by root");
        write(path("root", "shared"), `${first}\n`);
        spawnSync("chown", ["4711", path("root", "shared")]);
        mkdirSync(dirname(path("debian")), { recursive: true });
        symlinkSync(path("root", "shared"), path("debian"));
        const { status, stderr } = run([second!], [first!]);
        assert.equal(status, exitCodes.ROTATION_FAILED, stderr);
        assert.match(stderr, /debian\/\.ssh\/authorized_keys still has the former key/);
        assert.equal(read(path("root", "shared")), `${first}\n`);
    });

    it("refuses where sshd does not say in which files it looks", () => {
        const { status, stderr } = run([second!], [], { sshd: "port 22" });
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /sshd -T does not say/);
        assert.doesNotMatch(read(path("nfv")), /second/);
    });

    it("does nothing for users without such a file: thousands of them take seconds", () => {
        const homes: Homes = {};
        for (let i = 0; i < 3000; i++) {
            homes[`u${i}`] = join(shell.folder, "home", `u${i}`);
            write(path(`u${i}`), `${foreign}\n`);
        }
        write(path("u2999"), `${first}\n`);
        const begin = Date.now();
        ran([second!], [first!], { homes });
        const seconds = (Date.now() - begin) / 1000;
        assert.equal(read(path("u2999")), "");
        assert.ok(seconds < 20, `${seconds} s`);
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
            `getent() { :; }\nsshd() { echo authorizedkeysfile x; }\nLOGIN_USER=nobody-here KEYS=x GONE=\n${text}`,
        );
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /there is no user nobody-here/);
    });
});
