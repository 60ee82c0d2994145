import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../../../../../provider/shell/script-file";
import { skipIf } from "../../../../support/skip";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/** Installed package → its dependencies. */
type Installed = Record<string, string[]>;

/** A package manager that knows these dependencies, in a folder that is the whole PATH. */
function purged(
    manager: "apt" | "rpm",
    installed: Installed,
    ours: string[],
    kept = "",
    /** Of it rpm has two versions. */
    twice = "none",
): { purged: string[]; said: string } {
    const folder = mkdtempSync(join(tmpdir(), "nfv-purge-"));
    try {
        const calls = join(folder, "calls");
        writeFileSync(calls, "");
        const program = `#!${process.execPath}
            const installed = ${JSON.stringify(installed)};
            const words = process.argv.slice(2);
            const name = require("node:path").basename(process.argv[1]);
            const wanting = gone => Object.keys(installed).filter(p => !gone.includes(p) && installed[p].some(d => gone.includes(d)));
            const after = word => words.slice(words.indexOf(word) + 1);
            if (name === "dpkg-query") process.stdout.write(installed[words.at(-1)] ? "installed" : "");
            if (name === "apt-get") {
                if (words.includes("-s")) {
                    let gone = after("purge");
                    for (let more = wanting(gone); more.length > 0; more = wanting(gone)) gone = [...gone, ...more];
                    for (const p of gone) console.log("Purg " + p + " [1]");
                } else require("node:fs").writeFileSync(${JSON.stringify(calls)}, after("purge").join(" "));
            }
            if (name === "dnf") require("node:fs").writeFileSync(${JSON.stringify(calls)}, after("--noautoremove").join(" "));
            if (name === "rpm" && words[0] === "-e") {
                const broken = wanting(after("--test"));
                if (words.includes("${twice}") && !words.includes("--allmatches")) {
                    console.error("error: \\"${twice}\\" specifies multiple packages");
                    process.exit(1);
                }
                for (const p of broken) console.error("\\tx is needed by (installed) " + p + "-1.x86_64");
                process.exitCode = broken.length;
            } else if (name === "rpm" && words.includes("--qf")) {
                for (const p of words.slice(3)) console.log(p.replace(/-1\\.x86_64$/, ""));
            } else if (name === "rpm") process.exitCode = installed[words.at(-1)] ? 0 : 1;
        `;
        for (const name of manager === "apt" ? ["apt-get", "dpkg-query"] : ["rpm", "dnf"]) {
            writeFileSync(join(folder, name), program);
            chmodSync(join(folder, name), 0o755);
        }
        for (const tool of ["sed", "grep", "cat"]) symlinkSync(`/usr/bin/${tool}`, join(folder, tool));
        const input = `set -eu\n${script("node/kubernetes/purge-packages.sh")}purge_packages "${ours.join("\n")}" "${kept}"\n`;
        const { status, stdout, stderr } = spawnSync("/bin/sh", ["-s"], {
            input,
            encoding: "utf8",
            env: { PATH: folder },
        });
        assert.equal(status, 0, stderr);
        return { purged: readFileSync(calls, "utf8").split(" ").filter(Boolean).sort(), said: stdout };
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

describe("packages that came with us", () => {
    for (const manager of ["apt", "rpm"] as const) {
        const ours = ["containerd", "runc", "socat", "gone"];
        const came: Installed = { containerd: ["runc"], runc: [], socat: [] };

        it(`go where nothing else wants them (${manager})`, () => {
            const { purged: gone } = purged(manager, { ...came, other: [] }, ours);
            assert.deepEqual(gone, ["containerd", "runc", "socat"]);
        });

        it(`stay where another package wants them, and what they want too (${manager})`, () => {
            const { purged: gone, said } = purged(manager, { ...came, docker: ["containerd"] }, ours);
            assert.deepEqual(gone, ["socat"]);
            assert.match(said, /^stay, because of docker.*: .*containerd/m);
        });

        it(`stay where something that is no package uses them (${manager})`, () => {
            assert.deepEqual(purged(manager, came, ours, "containerd runc").purged, ["socat"]);
        });
    }

    it("go also where rpm was killed in the middle of an upgrade, and has two versions of one", () => {
        assert.deepEqual(purged("rpm", { kubelet: [], kubeadm: [] }, ["kubelet", "kubeadm"], "", "kubelet").purged, [
            "kubeadm",
            "kubelet",
        ]);
    });

    describe("with the real apt, whose root is a folder", () => {
        let shell: ShellRun;
        const path = (name: string) => join(shell.folder, name);
        const stanza = (name: string, more = "") =>
            `Package: ${name}\nStatus: install ok installed\n${more}Version: 1.0\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n\n`;

        beforeEach(function () {
            skipIf(this, spawnSync("apt-get", ["--version"]).status !== 0 && "no apt here");
            shell = shellIn("sh");
            for (const folder of [
                "etc/apt",
                "var/lib/apt/lists/partial",
                "var/cache/apt/archives/partial",
                "var/log/apt",
            ]) {
                mkdirSync(path(folder), { recursive: true });
            }
            writeFileSync(path("status"), stanza("containerd") + stanza("socat"));
            writeFileSync(
                path("apt.conf"),
                `Dir "${shell.folder}"; Dir::State::status "${path("status")}"; Dir::Bin::dpkg "${path("bin/fake-dpkg")}"; ` +
                    `Dir::Etc::main "none"; Dir::Etc::parts "none"; APT::Architecture "amd64";\n`,
            );
            shell.program("fake-dpkg", `printf '%s\\n' "$*" >> '${path("calls")}'`);
            shell.program("dpkg-query", "printf installed");
            shell.program("apt-mark", ":");
        });
        afterEach(() => shell?.remove());
        const purge = () => {
            const text = script("node/kubernetes/purge-packages.sh");
            const { status, stderr } = shell.run(
                `export APT_CONFIG='${path("apt.conf")}'\n${text}purge_packages 'containerd socat' ''`,
            );
            const removals = readFileSync(path("calls"), "utf8")
                .split("\n")
                .filter(call => / --(remove|purge) /.test(call));
            return { status, stderr, removals };
        };

        it("go", () => {
            const { status, stderr, removals } = purge();
            assert.equal(status, 0, stderr);
            assert.match(removals.join(), /containerd/);
        });

        it("stay with what somebody installs while apt waits for dpkg's lock, and which needs one of them", () => {
            const apt = spawnSync("sh", ["-c", "command -v apt-get"], { encoding: "utf8" }).stdout.trim();
            writeFileSync(path("docker"), stanza("docker", "Depends: containerd\n"));
            // behind the look
            shell.program(
                "apt-get",
                `case "$*" in *-s*) ;; *) cat '${path("docker")}' >> '${path("status")}' ;; esac\nexec ${apt} "$@"`,
            );
            const { status, stderr, removals } = purge();
            assert.equal(status, 100);
            assert.match(stderr, /docker needs them now/);
            assert.deepEqual(removals, []);
        });
    });
});
