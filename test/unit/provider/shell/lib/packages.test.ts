import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { installedPackagesFile, proxyEnvironmentFile, stateFolder } from "../../../../../provider/shell/folders";
import { script } from "../../../../../provider/shell/script-file";
import { skipIf } from "../../../../support/skip";
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

    const is = (name: string, content = "") => writeFileSync(path(name), content);

    /**
     * A machine whose packages are the lines of a file, with apt. One that is installed brings "its-library" along, and removes what the file "removed"
     * has. `meanwhile` runs while apt waits for dpkg's lock.
     */
    const machine = (installed: string[], meanwhile = ":", packages = "one|two|its-library") => {
        is("packages", installed.map(name => `${name}\n`).join(""));
        is("removed");
        shell.program(
            "dpkg-query",
            `if grep -qx "$4" '${path("packages")}'; then printf installed
            elif [ "$4" = once-removed ]; then printf config-files
            else exit 1; fi`,
        );
        shell.program(
            "apt-get",
            `printf '%s\n' "$*" >> '${path("calls")}'
            case "$*" in *" install "*) ;; *) exit 0 ;; esac
            transaction() {
                printf '%s\n' "$@" its-library | grep -xE '${packages}' | grep -vxFf '${path("packages")}' | sort -u
            }
            case "$*" in *" -s "* | "-s "*)
                sed 's/.*/Remv & [1.0]/' '${path("removed")}'
                transaction "$@" | sed 's/.*/Inst & (1.0 x [all])/'
                exit 0 ;;
            esac
            if [ -e '${path("broken")}' ]; then exit 100; fi
            ${meanwhile}
            case "$*" in *--no-remove*) [ ! -s '${path("removed")}' ] || { echo 'E: remove is disabled' >&2; exit 100; } ;; esac
            hook=
            for word; do case $word in DPkg::Pre-Install-Pkgs::=*) hook=\${word#*=} ;; esac; done
            case "$*" in *DPkg::Tools::Options::/usr/bin/env::Version=2*) ;; *) exit 9 ;; esac
            new=$(transaction "$@")
            {
                printf 'VERSION 2\nAPT::Architecture=amd64\n\n'
                for name in $new; do printf '%s - < 1.0 /var/cache/apt/archives/x.deb\n' "$name"; done
                printf 'libc6 2.0 < 2.1 /var/cache/apt/archives/x.deb\n'
                for name in $new; do printf '%s - < 1.0 **CONFIGURE**\n' "$name"; done
            } | sh -ec "$hook" || exit 100
            if [ -e '${path("killed")}' ]; then kill -9 $PPID; exit 1; fi
            for name in $new; do echo "$name" >> '${path("packages")}'; done`,
        );
    };

    for (const kind of ["sh", "bash"] as const) {
        describe(`in ${kind}`, () => {
            beforeEach(() => {
                shell = shellIn(kind);
            });
            afterEach(() => shell.remove());

            it("installs what is missing, and notes it with all that came along", () => {
                machine(["one", "other"]);
                const { status, stderr } = run();
                assert.equal(status, 0, stderr);
                const calls = lines("calls");
                assert.equal(calls.length, 3);
                assert.match(calls[0]!, / update$/);
                assert.match(calls[1]!, /^-s .* install --no-install-recommends two$/);
                assert.match(calls[2]!, /-y --no-remove .* install --no-install-recommends two$/);
                assert.deepEqual(lines("state/installed"), ["its-library", "two"]);
                assert.ok(!existsSync(path("state/note-packages")));
            });

            it("does nothing where all is installed", () => {
                machine(["one", "two"]);
                assert.equal(run().status, 0);
                assert.deepEqual([lines("calls"), lines("state/installed")], [[], []]);
            });

            it("notes all before apt unpacks it, so that a killed run misses none", () => {
                machine(["one"]);
                is("killed");
                assert.notEqual(run().status, 0);
                assert.deepEqual(lines("state/installed"), ["its-library", "two"]);
            });

            it("notes nothing where apt fails before that: somebody may install it himself later", () => {
                machine(["one"]);
                is("broken");
                assert.equal(run().status, 100);
                assert.deepEqual(lines("state/installed"), [""]);
            });

            it("waits while others hold the locks of apt's lists and archives, also on a machine that speaks another language", () => {
                machine([]);
                const apt = readFileSync(path("bin/apt-get"), "utf8");
                shell.program(
                    "apt-get",
                    `locked() { rm "$1"; [ "$LC_ALL" = C ] && echo "E: Could not get lock $2. It is held by process 7" >&2; exit 100; }
                    case "$*" in *" -s "* | "-s "*) ;;
                        *update) [ ! -e '${path("lists")}' ] || locked '${path("lists")}' /var/lib/apt/lists/lock ;;
                        *) [ ! -e '${path("archives")}' ] || locked '${path("archives")}' /var/cache/apt/archives/lock ;;
                    esac\n${apt}`,
                );
                for (const lock of ["lists", "archives"]) is(lock);
                const { status, stderr } = run("sleep() { :; }\ninstall_packages");
                assert.deepEqual([status, stderr], [0, ""]);
                assert.deepEqual(lines("packages"), ["", "its-library", "one", "two"].slice(1));
            });

            it("does not note what others install while apt waits for dpkg's lock, also not one that we want", () => {
                machine([], `printf 'two\\nits-library\\npostgresql\\n' >> '${path("packages")}'`);
                assert.equal(run().status, 0);
                assert.deepEqual(lines("state/installed"), ["one"]);
            });

            it("does not note one that somebody removed and did not purge: our purge would delete his settings", () => {
                machine([], ":", "two|once-removed");
                assert.equal(run("install_packages", "two once-removed").status, 0);
                assert.deepEqual(lines("packages"), ["once-removed", "two"]);
                assert.deepEqual(lines("state/installed"), ["two"]);
            });

            it("refuses before it changes anything what would remove packages of others, and names them", () => {
                machine(["one", "docker-ce", "containerd.io"]);
                is("removed", "docker-ce\ncontainerd.io\n");
                const { status, stderr } = run();
                assert.equal(status, exitCodes.FOREIGN_SOFTWARE);
                assert.match(stderr, /would remove these of others: docker-ce containerd\.io; nothing was/);
                assert.equal(lines("calls").length, 2);
                assert.deepEqual(lines("state/installed"), [""]);
            });

            it("removes nothing that others install after that look", () => {
                machine(["one"], `echo docker-ce > '${path("removed")}'`);
                const { status, stderr } = run();
                assert.deepEqual([status, stderr], [100, "E: remove is disabled\n"]);
                assert.deepEqual([lines("packages"), lines("state/installed")], [["one"], [""]]);
            });

            it("reads the proxy, for the programs that follow", () => {
                machine([]);
                writeFileSync(path("proxy.env"), "HTTPS_PROXY='http://u:p@proxy:3128'\n");
                assert.equal(run("printenv HTTPS_PROXY").stdout, "http://u:p@proxy:3128\n");
            });
        });
    }

    describe("with dnf", () => {
        /** Its table, as dnf4 prints it where no terminal is. */
        const table = (...parts: string[]) =>
            [
                "Last metadata expiration check: 0:00:01 ago.",
                "Dependencies resolved.",
                "=".repeat(80),
                " Package             Architecture   Version               Repository       Size",
                "=".repeat(80),
                ...parts,
                "",
                "Transaction Summary",
                "=".repeat(80),
                "Install  2 Packages",
                "",
            ].join("\n");
        const installing = [
            "Installing:",
            " two                 x86_64         1.0-1.el9             base             35 M",
            "Upgrading:",
            " libc                x86_64         2.1-1.el9             base             35 M",
            "Installing dependencies:",
            " container-selinux-with-a-long-name",
            "                     noarch         3:2.1-1.el9           base             35 k",
        ];
        /** `run` is what the real installation does. */
        const machineWithDnf = (answer: string, run: string, installed: string[] = ["one"]) => {
            is("packages", installed.map(name => `${name}\n`).join(""));
            is("answer", answer);
            shell.program("rpm", `shift; for word; do :; done; grep -qx -- "$word" '${path("packages")}'`);
            shell.program(
                "dnf",
                `printf '%s\n' "$*" >> '${path("calls")}'
                case "$*" in *--assumeno*) cat '${path("answer")}'; exit 1 ;; esac
                ${run}`,
            );
        };
        const gets = (...names: string[]) => `printf '%s\\n' ${names.join(" ")} >> '${path("packages")}'`;
        // without apt-get and dpkg-query of the machine on which this test runs
        const withoutApt = `command() { case $2 in apt-get|dpkg-query) return 1 ;; *) return 0 ;; esac; }\n`;
        const install = () => run(`${withoutApt}install_packages`);

        beforeEach(() => {
            shell = shellIn("sh");
        });
        afterEach(() => shell.remove());

        it("notes its own transaction, and nothing that others install meanwhile", () => {
            machineWithDnf(table(...installing), gets("two", "container-selinux-with-a-long-name", "postgresql"));
            const { status, stderr } = install();
            assert.equal(status, 0, stderr);
            assert.deepEqual(lines("calls"), ["--setopt=assumeyes=0 --assumeno install two", "-q -y install two"]);
            assert.deepEqual(lines("state/installed"), ["container-selinux-with-a-long-name", "two"]);
        });

        it("does not note what did not come: others may install it later", () => {
            machineWithDnf(table(...installing), `${gets("two")}; exit 1`);
            assert.equal(install().status, 1);
            assert.deepEqual(lines("state/installed"), ["two"]);
        });

        it("notes the wanted ones where its answer cannot be read", () => {
            machineWithDnf("?\nOperation aborted.", gets("two", "other"));
            assert.equal(install().status, 0);
            assert.deepEqual(lines("state/installed"), ["two"]);
        });

        it("installs nothing where it gives no answer: what it would remove is not known", () => {
            machineWithDnf("Error: Failed to download metadata for repo 'base'", gets("two"));
            const { status, stderr } = install();
            assert.deepEqual([status, lines("packages")], [1, ["one"]]);
            assert.match(stderr, /Failed to download metadata/);
        });

        for (const [how, parts] of Object.entries({
            removed: [...installing, "Removing dependent packages:", " docker-ce  x86_64  3:27-1  @docker  90 M"],
            obsoleted: [
                ...installing.slice(0, 2),
                "     replacing  docker-ce.x86_64 3:27-1.el9",
                ...installing.slice(2),
            ],
            "obsoleted, as dnf5 says it": [
                ...installing.slice(0, 2),
                "   replacing docker-ce x86_64 3:27-1 docker 90.0 MiB",
            ],
        })) {
            it(`refuses what would be ${how}`, () => {
                machineWithDnf(table(...parts), gets("two"));
                const { status, stderr } = install();
                assert.equal(status, exitCodes.FOREIGN_SOFTWARE, stderr);
                assert.match(stderr, /of others: docker-ce;/);
                assert.deepEqual([lines("calls").length, lines("packages")], [1, ["one"]]);
            });
        }

        it("takes an upgrade for none, of which dnf5 says that it replaces the former version", () => {
            const upgrade = "   replacing two x86_64 0.9-1 base 35.0 MiB";
            machineWithDnf(table(...installing.slice(0, 2), upgrade), gets("two"));
            assert.equal(install().status, 0);
        });
    });

    describe("with the real apt, whose root is a folder", () => {
        const stanza = (name: string, more = "") =>
            `Package: ${name}\n${more}Version: 1.0\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n`;
        const conflicts = ["Provides", "Conflicts"].map(field => `${field}: containerd, runc\n`).join("");
        const docker = [stanza("containerd.io", conflicts), stanza("docker-ce", "Depends: containerd.io\n")];

        beforeEach(function () {
            skipIf(this, spawnSync("apt-get", ["--version"]).status !== 0 && "no apt here");
            shell = shellIn("sh");
            for (const folder of [
                "etc/apt",
                "var/lib/apt/lists/partial",
                "var/cache/apt/archives/partial",
                "var/log/apt",
                "repo",
            ]) {
                mkdirSync(path(folder), { recursive: true });
            }
            const available = [stanza("containerd", "Depends: runc\n"), stanza("runc")].map((each, i) => {
                const content = `package ${i}`;
                is(`repo/${i}.deb`, content);
                const sum = createHash("sha256").update(content).digest("hex");
                return `${each}Filename: ./${i}.deb\nSize: ${content.length}\nSHA256: ${sum}\n`;
            });
            is("repo/Packages", available.join("\n"));
            is("etc/apt/sources.list", `deb [trusted=yes] file:${path("repo")} ./\n`);
            shell.program("dpkg-query", "exit 1");
            shell.program("fake-dpkg", `printf '%s\\n' "$*" >> '${path("calls")}'`);
            is(
                "apt.conf",
                `Dir "${shell.folder}"; Dir::State::status "${path("status")}"; Dir::Bin::dpkg "${path("bin/fake-dpkg")}"; ` +
                    `Dir::Etc::main "none"; Dir::Etc::parts "none"; APT::Sandbox::User ""; APT::Architecture "amd64";\n`,
            );
        });
        afterEach(() => shell?.remove());
        const install = (...installed: string[]) => {
            is("status", installed.map(each => each.replace("\n", "\nStatus: install ok installed\n")).join("\n"));
            return run(`export APT_CONFIG='${path("apt.conf")}'\ninstall_packages`, "containerd");
        };

        it("notes the transaction that apt gives to dpkg", () => {
            const { status, stderr } = install();
            assert.equal(status, 0, stderr);
            assert.ok(lines("calls").some(call => call.includes("--unpack")));
            assert.deepEqual(lines("state/installed"), ["containerd", "runc"]);
        });

        it("does not remove Docker, whose containerd.io conflicts with containerd", () => {
            const { status, stderr } = install(...docker);
            assert.equal(status, exitCodes.FOREIGN_SOFTWARE, stderr);
            assert.match(stderr, /of others: docker-ce containerd\.io;/);
            assert.ok(!lines("calls").some(call => call.includes("--unpack")));
        });
    });

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
