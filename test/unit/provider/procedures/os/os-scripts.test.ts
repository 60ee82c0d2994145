import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backInService, untilReady } from "../../../../../provider/member/upgrade/acts";
import { osScripts } from "../../../../../provider/procedures/os/acts";
import { nextKernel, parseOsState } from "../../../../../provider/procedures/os/os-state";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { proxyEnvironmentFile, stateFolder } from "../../../../../provider/shell/folders";
import type { Act } from "../../../../../provider/steps/types";
import { skipIf } from "../../../../support/skip";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/** As apt 2.6 prints a simulation. */
const simulated = [
    "Inst haproxy [2.6.12-1] (2.6.12-1+deb12u1 Debian:12/stable [amd64])",
    "Inst containerd [1.6.20] (1.6.24 Debian-Security:12/stable-security [amd64])",
    "Inst linux-image-6.1.0-28-cloud-amd64 (6.1.119-1 Debian:12/stable [amd64])",
    "Inst linux-image-cloud-amd64 [6.1.90-1] (6.1.119-1 Debian:12/stable [amd64])",
    "Conf haproxy (2.6.12-1+deb12u1 Debian:12/stable [amd64])",
];

describe("the scripts that upgrade the packages of the operating system", () => {
    let shell: ShellRun;
    const path = (name: string) => join(shell.folder, name);
    const lines = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8").trim().split("\n") : []);
    const is = (name: string, content: string) => writeFileSync(path(name), content);

    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(path("state/requests"), { recursive: true });
        mkdirSync(path("boot"));
        is("simulated", `${simulated.join("\n")}\n`);
        shell.program("uname", "echo 6.1.0-25-cloud-amd64");
        shell.program("dpkg-query", 'case "$4" in kubelet) printf 1.34.4-1.1 ;; *) exit 1 ;; esac');
        shell.program(
            "dpkg",
            `printf 'dpkg %s\\n' "$*" >> '${path("calls")}'; [ "$1" != --audit ] || cat '${path("audit")}' 2>/dev/null || true
            case "$*" in *--configure*) rm -f '${path("audit")}' ;; esac`,
        );
        shell.program(
            "apt-mark",
            `printf 'apt-mark %s\\n' "$*" >> '${path("calls")}'; [ "$1" != showauto ] || echo containerd`,
        );
        // A named package alone comes; all others with "upgrade".
        shell.program(
            "apt-get",
            `for word; do case $word in Dir::Etc::Preferences=*) cp "\${word#*=}" '${path("pins")}' ;; esac; done
            said=$(printf '%s\\n' "$*" | sed -e 's/-o [^ ]* *//g')
            printf 'apt-get %s\\n' "$said" >> '${path("calls")}'
            [ "$DEBIAN_FRONTEND $LC_ALL" = "noninteractive C" ] || exit 9
            case "$*" in *Dpkg::Options::=--force-confold*) ;; *) exit 9 ;; esac
            case "$said" in
                *" -s upgrade"*) cat '${path("simulated")}' ;;
                *" -s install"*) for name in $said; do grep -E "^(Inst|Remv) $name " '${path("simulated")}' || true; done; cat '${path("removed")}' 2>/dev/null || true ;;
                *" -y "*) if [ -e '${path("killed")}' ]; then kill -9 $PPID; fi ;;
            esac`,
        );
        // The real one writes what all programs of this computer have changed.
        shell.program("sync", ":");
        shell.program("systemctl", `printf 'systemctl %s\\n' "$*" >> '${path("calls")}'; [ "$1" != show ] || echo 0`);
    });
    afterEach(() => shell.remove());

    const run = (text: string, env: Record<string, string> = {}) => {
        const values = Object.entries({ PACKAGES: "all", REBOOT: "ifNeeded", WORD: "one", ...env });
        const here = text
            .replaceAll(proxyEnvironmentFile, path("proxy.env"))
            .replaceAll(stateFolder, path("state"))
            .replaceAll("/var/lib/dpkg/updates", path("updates"))
            .replaceAll("/run/reboot-required", path("reboot-required"))
            .replaceAll("BOOT_FOLDER='/boot'", `BOOT_FOLDER='${path("boot")}'`)
            // the fake programs stay first
            .replaceAll("PATH=/usr/local/sbin", `PATH=${path("bin")}:/usr/local/sbin`);
        return shell.run(`${values.map(([name, value]) => `${name}='${value}'`).join("\n")}\n${here}`);
    };
    const state = (env?: Record<string, string>) => {
        const { status, stdout, stderr } = run(osScripts.state(), env);
        assert.equal(status, 0, stderr);
        return parseOsState(stdout);
    };
    const names = (packages: string) => state({ PACKAGES: packages }).packages.map(({ name }) => name);
    const did = () => lines("calls").filter(line => /apt-get .*-y|--configure|apt-mark auto/.test(line));

    it("say which packages are due, which are for security, and which kernel comes", () => {
        const said = state();
        assert.equal(said.packages.length, 4);
        assert.deepEqual(said.packages[1], { name: "containerd", from: "1.6.20", to: "1.6.24", security: true });
        assert.equal(nextKernel(said), "6.1.0-28-cloud-amd64");
        assert.deepEqual([said.needsReboot, said.removes, said.note], [false, [], undefined]);
        assert.match(said.boot, /^[0-9a-f-]{36}$/);
        assert.deepEqual(did(), []);
    });

    it("choose packages by name, by pattern, and by where they come from", () => {
        assert.deepEqual(names("security"), ["containerd"]);
        assert.deepEqual(names("haproxy keepalived"), ["haproxy"]);
        assert.deepEqual(names("linux-image-*"), ["linux-image-cloud-amd64"]);
        assert.deepEqual(names("no-such-*"), []);
    });

    it("pin what is installed of Kubernetes beside the pins of others, and leave no hold", () => {
        run(osScripts.upgrade());
        assert.match(
            readFileSync(path("pins"), "utf8"),
            /^Package: kubelet\nPin: version 1\.34\.4-1\.1\nPin-Priority: 32767$/m,
        );
        assert.ok(!lines("calls").some(line => /apt-mark (un)?hold/.test(line)));
    });

    it("see that a reboot is needed: a newer kernel of the running one's kind, or a package that asks for it", () => {
        is("boot/vmlinuz-6.1.0-25-cloud-amd64", "");
        is("boot/vmlinuz-6.1.0-30-amd64", "");
        assert.equal(state().needsReboot, false);
        is("boot/vmlinuz-6.1.0-28-cloud-amd64", "");
        const { needsReboot, newestKernel } = state();
        assert.deepEqual([needsReboot, newestKernel], [true, "6.1.0-28-cloud-amd64"]);
        shell.program("uname", "echo 6.1.0-28-cloud-amd64");
        assert.equal(state().needsReboot, false);
        is("reboot-required", "");
        assert.equal(state().needsReboot, true);
        // Another family's names
        shell.program("uname", "echo 5.14.0-362.el9.x86_64");
        is("boot/vmlinuz-5.14.0-370.el9.x86_64", "");
        assert.equal(state().newestKernel, "5.14.0-370.el9.x86_64");
    });

    it("download without an effect, and upgrade without a question and without removing anything", () => {
        assert.equal(run(osScripts.fetch()).status, 0);
        assert.deepEqual(did(), ["apt-get -q -y -d --no-remove upgrade --with-new-pkgs"]);
        const { status, stdout, stderr } = run(osScripts.upgrade());
        assert.equal(status, 0, stderr);
        assert.match(stdout, /^containerd 1\.6\.20 to 1\.6\.24$/m);
        assert.equal(did()[1], "apt-get -q -y --no-remove upgrade --with-new-pkgs");
        assert.match(lines("state/requests/os-upgrade")[0]!, /^one upgraded [0-9a-f-]{36}$/);
    });

    it("do not mark packages that were there for others as wanted by themselves", () => {
        run(osScripts.upgrade(), { PACKAGES: "containerd" });
        assert.deepEqual(did(), [
            "apt-get -q -y --no-remove install --only-upgrade containerd",
            "apt-mark auto containerd",
        ]);
    });

    it("refuse what would remove a package, and name it", () => {
        is("removed", "Remv docker-ce [1.0]\n");
        assert.deepEqual(state({ PACKAGES: "containerd" }).removes, ["docker-ce"]);
        for (const script of [osScripts.fetch(), osScripts.upgrade()]) {
            const { status, stderr } = run(script, { PACKAGES: "containerd" });
            assert.equal(status, exitCodes.FOREIGN_SOFTWARE);
            assert.match(stderr, /would remove these packages: docker-ce; nothing was changed/);
        }
        assert.deepEqual(did(), []);
        assert.deepEqual(lines("state/requests/os-upgrade"), []);
    });

    it("end first what a dpkg has left that was killed, and do not note a kill as done", () => {
        is("killed", "");
        assert.notEqual(run(osScripts.upgrade()).status, 0);
        assert.deepEqual(lines("state/requests/os-upgrade"), []);
        is("audit", "haproxy is half configured\n");
        run(osScripts.fetch());
        assert.match(did().at(-2)!, /dpkg .*--force-confold --configure -a/);
    });

    it("do nothing where nothing is due", () => {
        is("simulated", "");
        assert.equal(run(osScripts.upgrade()).status, 0);
        assert.deepEqual(did(), []);
        assert.match(lines("state/requests/os-upgrade")[0]!, /^one upgraded /);
    });

    it("reboot only in the boot in which the packages came", () => {
        shell.program("systemd-run", `echo rebooted >> '${path("calls")}'`);
        is("state/requests/os-upgrade", "one upgraded another-boot\n");
        assert.equal(run(osScripts.reboot()).status, 0);
        assert.ok(!lines("calls").includes("rebooted"));
        is("state/requests/os-upgrade", `one upgraded ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8")}`);
        assert.equal(run(osScripts.reboot()).status, 0);
        assert.ok(lines("calls").includes("rebooted"));
    });

    it("serve the virtual address again where the machine refuses to reboot, if they served it before", () => {
        is("state/requests/os-upgrade", `one upgraded ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8")}`);
        shell.program("sleep", "");
        // systemd-run --quiet --collect --unit NAME sh -c TEXT
        shell.program("systemd-run", 'shift 4; "$@"');
        const calls = (served: string) => {
            is("calls", "");
            shell.program(
                "systemctl",
                `printf '%s\\n' "$*" >> '${path("calls")}'; case $1 in is-active) echo ${served} ;; reboot) exit 1 ;; esac`,
            );
            assert.equal(run(osScripts.reboot()).status, 0);
            return lines("calls").slice(1);
        };
        assert.deepEqual(calls("active"), ["stop keepalived", "reboot", "start keepalived"]);
        assert.deepEqual(calls("inactive"), ["stop keepalived", "reboot"]);
    });

    it("give the lead of etcd away before the reboot, where this machine has it", () => {
        shell.program("systemd-run", "");
        is("state/requests/os-upgrade", `one upgraded ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8")}`);
        mkdirSync(path("kubernetes/manifests"), { recursive: true });
        is("kubernetes/manifests/etcd.yaml", "");
        const members = '{"members":[{"ID":"11","name":"m1"},{"ID":"12","name":"m2"},{"ID":"13","name":"m3"}]}';
        const reboot = (leader: string) => {
            const status = `{"header":{"cluster_id":"9","member_id":"11"},"version":"3.6","leader":"${leader}","raftTerm":"2"}`;
            shell.program(
                "curl",
                `printf '%s\\n' "$*" >> '${path("asked")}'
                case "$*" in *status) printf '%s' '${status}' ;; *member/list) printf '%s' '${members}' ;; *) exit 7 ;; esac`,
            );
            const text = osScripts.reboot().replaceAll("/etc/kubernetes", path("kubernetes"));
            const { status: code, stderr } = run(text);
            assert.equal(code, 0, stderr);
            return lines("asked").filter(line => line.includes("transfer-leadership"));
        };
        assert.deepEqual(reboot("12"), []);
        assert.match(reboot("11").join("\n"), /-d \{"targetID":"12"\} https/);
    });

    it("uncordon a node when the cluster sees it Ready in its new boot, and only if our drain cordoned it", () => {
        const back = (mark: string, { run: text, env }: Act = backInService("w1", "bootID", "boot-2")) => {
            is("calls", "");
            is("looks", "");
            shell.program("sleep", "");
            // The former boot is Ready in the API until kubelet reports the new one.
            shell.program(
                "kubectl",
                `printf 'kubectl %s\\n' "$*" >> '${path("calls")}'
                case "$*" in *" get node "*) echo look >> '${path("looks")}'
                    if [ "$(wc -l < '${path("looks")}')" -lt 3 ]; then printf 'boot-1 True ${mark}'; else printf 'boot-2 True ${mark}'; fi ;; esac`,
            );
            const { status, stderr } = run(text, env);
            assert.equal(status, 0, stderr);
            assert.equal(lines("looks").length, 3);
            return lines("calls").filter(line => line.includes("cordon w1")).length;
        };
        assert.deepEqual([back("leaving"), back("")], [1, 0]);
        assert.equal(back("leaving", untilReady("w1", "boot-2")), 0, "what another request has cordoned stays so");
    });

    it("keep real apt from Kubernetes' packages, which have a newer version", function () {
        skipIf(this, !existsSync("/usr/bin/apt-get") && "no apt here");
        rmSync(path("bin/apt-get"));
        for (const folder of ["etc/apt/preferences.d", "lists/partial", "cache/archives/partial", "repo"])
            mkdirSync(path(folder), { recursive: true });
        const stanza = (name: string, version: string, more: string) =>
            `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n${more}`;
        const all = ["kubelet", "haproxy", "cri-tools"];
        const file = `Filename: ./x.deb\nSize: 1\nSHA256: ${"0".repeat(64)}\n`;
        is("repo/Packages", all.map(name => stanza(name, "2.0", file)).join("\n"));
        is("status", all.map(name => stanza(name, "1.0", "Status: install ok installed\n")).join("\n"));
        is("etc/apt/sources.list", `deb [trusted=yes] file:${path("repo")} ./\n`);
        is(
            "apt.conf",
            `Dir::Etc "${path("etc/apt")}"; Dir::State::status "${path("status")}"; Dir::State::lists "${path("lists")}"; ` +
                `Dir::Cache "${path("cache")}"; Dir::Etc::main "none"; Dir::Etc::parts "none"; APT::Sandbox::User ""; APT::Architecture "amd64";\n`,
        );
        shell.program("dpkg-query", "printf 1.0");
        const conf = `export APT_CONFIG='${path("apt.conf")}'\n`;
        assert.equal(shell.run(`${conf}apt-get -q update`).status, 0);
        const due = (packages: string) => {
            const { stdout } = run(`${conf}${osScripts.state()}`, { PACKAGES: packages });
            return parseOsState(stdout).packages.map(({ name }) => name);
        };
        assert.deepEqual(due("all"), ["haproxy"]);
        assert.deepEqual(due("kube* cri-*"), []);
        shell.program("dpkg-query", "exit 1");
        assert.deepEqual(due("all").sort(), ["cri-tools", "haproxy", "kubelet"], "it is the pin that keeps them");
        // Somebody forced it onto the machine.
        is("status", stanza("tool", "1.0", "Status: install ok installed\nDepends: gone-library\n"));
        const broken = run(`${conf}${osScripts.state()}`);
        assert.equal(broken.status, 100);
        assert.match(broken.stderr, /tool : Depends: gone-library but it is not installable/);
    });

    describe("with dnf", () => {
        beforeEach(() => {
            rmSync(path("bin/apt-get"));
            is("table", "");
            shell.program("rpm", 'case "$*" in *kernel-core*) echo 5.14.0-362.el9 ;; *) echo 1.0-1 ;; esac');
            shell.program(
                "dnf",
                `printf 'dnf %s\\n' "$*" >> '${path("calls")}'
                case "$*" in
                    *check-upgrade*--security*) echo 'runc.x86_64 4:1.2-1 updates' ;;
                    *check-upgrade*) printf '%s\\n' '' 'haproxy.x86_64 2.4-1 base' 'kernel-core.x86_64 5.14.0-370.el9 base' 'runc.x86_64 4:1.2-1 updates' 'Obsoleting Packages' 'x.noarch 2 base' ;;
                    *--assumeno*) cat '${path("table")}' ;;
                esac`,
            );
            shell.program("needs-restarting", "exit 1");
        });
        const onDnf = (text: string) => text.replaceAll("command -v apt-get", "command -v no-apt");

        it("say the same, and exclude Kubernetes' packages", () => {
            const said = parseOsState(run(onDnf(osScripts.state())).stdout);
            assert.deepEqual(
                said.packages.map(({ name, security }) => `${name} ${security}`),
                ["haproxy false", "kernel-core false", "runc true"],
            );
            assert.deepEqual([said.needsReboot, nextKernel(said)], [true, "5.14.0-370.el9"]);
            const chosen = parseOsState(run(onDnf(osScripts.state()), { PACKAGES: "run*" }).stdout);
            assert.deepEqual(chosen.packages, [{ name: "runc", from: "1.0-1", to: "4:1.2-1", security: true }]);
            assert.ok(
                lines("calls").some(line =>
                    line.includes("--exclude=kubelet,kubeadm,kubectl,kubernetes-cni,cri-tools"),
                ),
            );
        });

        it("ask for security updates behind the command, as dnf5 wants it", () => {
            assert.equal(run(onDnf(osScripts.fetch()), { PACKAGES: "security" }).status, 0);
            const asked = lines("calls").filter(line => line.includes("--security"));
            assert.deepEqual(
                asked.map(line => /[a-z-]+ --security.*$/.exec(line)?.[0]),
                [
                    "check-upgrade --security",
                    "check-upgrade --security",
                    "upgrade --security runc",
                    "upgrade --security --downloadonly runc",
                ],
            );
        });

        it("upgrade what is named, and refuse what would remove a package", () => {
            assert.equal(run(onDnf(osScripts.upgrade()), { PACKAGES: "haproxy", REBOOT: "never" }).status, 0);
            assert.match(lines("calls").at(-1)!, /^(dnf .* -y upgrade haproxy|systemctl .*)$/);
            is("table", "Removing dependent packages:\n docker-ce x86_64 1 base 1 M\n\nTransaction Summary\n");
            const { status, stderr } = run(onDnf(osScripts.fetch()));
            assert.equal(status, exitCodes.FOREIGN_SOFTWARE);
            assert.match(stderr, /would remove these packages: docker-ce/);
        });
    });

    it("read what a note says", () => {
        assert.deepEqual(parseOsState("note=one begun b-1\n").note, { id: "one", stage: "begun", boot: "b-1" });
    });
});
