import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedPackagesFile, proxyEnvironmentFile, stateFolder } from "../../../../../provider/shell/folders";
import { script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "./shell-run";

describe("shell/lib/packages.sh", () => {
    let shell: ShellRun;
    const path = (name: string) => join(shell.folder, name);
    const run = (line = "install_packages", wanted = "one two") => {
        const text = script("shell/lib/packages.sh")
            .replaceAll(installedPackagesFile, path("state/installed"))
            .replaceAll(proxyEnvironmentFile, path("proxy.env"))
            .replaceAll(stateFolder, path("state"));
        return shell.run(`APT_PACKAGES='${wanted}' DNF_PACKAGES='${wanted}'\n${text}${line}`);
    };
    const lines = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8").trim().split("\n") : []);

    /** A machine whose packages are the lines of a file; one that is installed brings "its-library" along. */
    const machine = (...installed: string[]) => {
        writeFileSync(path("packages"), installed.map(name => `${name}\n`).join(""));
        shell.program(
            "dpkg-query",
            `case $3 in
                *Status*) grep -qx "$4" '${path("packages")}' && printf installed ;;
                *) cat '${path("packages")}' ;;
            esac`,
        );
        shell.program(
            "apt-get",
            `printf '%s\\n' "$*" >> '${path("calls")}'
            case "$*" in *" install "*) ;; *) exit 0 ;; esac
            if [ -e '${path("broken")}' ]; then exit 100; fi
            printf '%s\\n' "\${@##-*}" its-library | sed -n '/^[a-z]/p' | grep -vx install >> '${path("packages")}'`,
        );
    };

    for (const kind of ["sh", "bash"] as const) {
        describe(`in ${kind}`, () => {
            beforeEach(() => {
                shell = shellIn(kind);
            });
            afterEach(() => shell.remove());

            it("installs what is missing, and notes it with all that came along", () => {
                machine("one", "other");
                const { status, stderr } = run();
                assert.equal(status, 0, stderr);
                const calls = lines("calls");
                assert.equal(calls.length, 2);
                assert.match(calls[0]!, / update$/);
                assert.match(calls[1]!, / install --no-install-recommends two$/);
                assert.deepEqual(lines("state/installed"), ["its-library", "two"]);
            });

            it("does nothing where all is installed", () => {
                machine("one", "two");
                assert.equal(run().status, 0);
                assert.deepEqual([lines("calls"), lines("state/installed")], [[], []]);
            });

            it("notes the wanted ones first, so that a killed run misses none", () => {
                machine("one");
                writeFileSync(path("broken"), "");
                assert.equal(run().status, 100);
                assert.deepEqual(lines("state/installed"), ["two"]);
            });

            it("reads the proxy, for the programs that follow", () => {
                machine();
                writeFileSync(path("proxy.env"), "HTTPS_PROXY='http://u:p@proxy:3128'\n");
                assert.equal(run("printenv HTTPS_PROXY").stdout, "http://u:p@proxy:3128\n");
            });
        });
    }

    it("fails with the code of UNSUPPORTED_SYSTEM where there is neither apt nor dnf", () => {
        shell = shellIn("sh");
        try {
            const { status, stderr } = run("PATH=/nowhere\ninstall_packages");
            assert.deepEqual([status, stderr], [44, "neither apt-get nor dnf on this machine\n"]);
        } finally {
            shell.remove();
        }
    });
});
