import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../../../../provider/shell/script-file";

/** Installed package → its dependencies. */
type Installed = Record<string, string[]>;

/** A package manager that knows these dependencies, in a folder that is the whole PATH. */
function purged(
    manager: "apt" | "rpm",
    installed: Installed,
    ours: string[],
    kept = "",
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
        const input = `set -eu\n${script("node/purge-packages.sh")}purge_packages "${ours.join("\n")}" "${kept}"\n`;
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

describe("packages that came with us", function () {
    this.timeout(60_000);
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
});
