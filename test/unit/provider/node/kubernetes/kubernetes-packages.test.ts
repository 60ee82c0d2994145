import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
    installKubernetesPackages,
    observeVersions,
} from "../../../../../provider/node/kubernetes/kubernetes-packages";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { programFolder, proxyEnvironmentFile, stateFolder } from "../../../../../provider/shell/folders";
import { script } from "../../../../../provider/shell/script-file";
import { buildPackage, indexPackages, stanza } from "../../../../support/debian-repository";
import { skipIf } from "../../../../support/skip";
import { hostSpec } from "../../sample-specs";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

const [from, to] = ["1.34.3", "1.34.4"];
const names = ["kubelet", "kubeadm", "kubectl"];
const staged = `programs/kubernetes/${to}`;

/** What the program prints: kubeadm's version is its short one. */
const program = (version: string) =>
    `#!/bin/sh\ncase "$*" in *short*) echo v${version} ;; *) echo "Kubernetes v${version}" ;; esac\n`;

describe("Kubernetes' packages on a machine that has them in another version", () => {
    let shell: ShellRun;
    const path = (name: string) => join(shell.folder, name);
    const is = (name: string, content = "", mode = 0o644) => {
        mkdirSync(dirname(path(name)), { recursive: true });
        writeFileSync(path(name), content);
        chmodSync(path(name), mode);
    };
    const lines = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8").trim().split("\n") : []);
    const files = (name: string) => (existsSync(path(name)) ? readdirSync(path(name)).sort() : []);

    /** The step with the paths of this test. kubelet's process is the program in proc/7. */
    const run = (kind: "apt" | "dnf", text?: string, env: Record<string, string> = {}) => {
        const body = installKubernetesPackages(
            hostSpec({ kubernetesVersion: to, source: { [kind]: { key: "KEY" } } }),
        )!;
        const values = Object.entries({ ...body.env, ...env }).map(([name, value]) => `${name}='${value}'`);
        const here = (text ?? body.run!)
            .replaceAll(proxyEnvironmentFile, path("proxy.env"))
            .replaceAll(stateFolder, path("state"))
            .replaceAll(programFolder, path("programs"))
            .replaceAll("/etc/apt/sources.list.d/", path("etc/apt/sources.list.d/"))
            .replaceAll("/var/lib/dpkg/updates", path("updates"))
            .replaceAll("/proc/", path("proc/"))
            .replaceAll("/run\n", `${shell.folder}\n`)
            .replaceAll('"/usr/bin/$name"', `"${path("bin")}/$name"`)
            .replaceAll("PATH=/usr/local/sbin", `PATH=${path("bin")}:/usr/local/sbin`);
        return shell.run(`${values.join("\n")}\n${here}`);
    };
    const version = (name: string) => spawnSync(path(name), ["--version"], { encoding: "utf8" }).stdout.trim();

    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(path("state"));
        is("state/member", "cluster-1\n");
        is("proc/7/exe", program(from), 0o755);
        shell.program("systemctl", "echo MainPID=7");
        for (const name of names) is(`bin/${name}`, program(from), 0o755);
    });
    afterEach(() => shell.remove());

    const isStaged = (packages: readonly string[]) => {
        assert.deepEqual(files(staged), ["former", "kubeadm", "kubelet", "packages"]);
        assert.deepEqual(files(`${staged}/packages`), packages);
        assert.equal(version(`${staged}/kubelet`), `Kubernetes v${to}`);
        assert.equal(version(`${staged}/former/kubelet`), `Kubernetes v${from}`);
        assert.deepEqual(lines(`${staged}/former/version`), [from]);
        assert.deepEqual(files("programs/kubernetes"), [to]);
    };

    describe("with the real apt, whose root is a folder", () => {
        const deb = (name: string, version: string, control = "") => {
            const text = program(version.replace(/-.*/, ""));
            const files = names.includes(name) ? { [`usr/bin/${name}`]: { text, mode: 0o755 } } : {};
            buildPackage(path("repo"), { name, version, control, files });
        };
        const index = () => indexPackages(path("repo"));
        const row = (name: string, version: string, control = "") => stanza({ name, version, control });
        const installed = (...rows: string[]) =>
            is("status", rows.map(each => each.replace("\n", "\nStatus: install ok installed\n")).join("\n"));
        const hasFormer = (...more: string[]) =>
            installed(
                row("kubernetes-cni", "1.7.0-1.1"),
                row("kubelet", `${from}-1.1`, "Depends: kubernetes-cni (>= 1.2.0)\n"),
                row("kubeadm", `${from}-1.1`),
                row("kubectl", `${from}-1.1`),
                ...more,
            );
        const stage = (env?: Record<string, string>, text?: string) =>
            run("apt", `export APT_CONFIG='${path("apt.conf")}'\n${text ?? applied()}`, env);
        const calls = () => lines("calls").filter(call => call !== "" && !call.startsWith("--print"));
        const applied = () => installKubernetesPackages(hostSpec({ kubernetesVersion: to, source: { apt: {} } }))!.run!;

        beforeEach(function () {
            skipIf(this, spawnSync("apt-get", ["--version"]).status !== 0 && "no apt here");
            for (const folder of [
                "etc/apt/none",
                "etc/apt/preferences.d",
                "var/lib/apt/lists/partial",
                "var/cache/apt/archives/partial",
                "var/log/apt",
            ])
                mkdirSync(path(folder), { recursive: true });
            for (const name of names)
                for (const number of [`${from}-1.1`, `${to}-1.0`, `${to}-1.1`])
                    deb(name, number, name === "kubelet" ? "Depends: kubernetes-cni (>= 1.2.0)\n" : "");
            deb("kubernetes-cni", "1.8.0-1.1");
            index();
            is("etc/apt/sources.list.d/pulumi-nfv-kubernetes.list", `deb [trusted=yes] file:${path("repo")} /\n`);
            is("etc/apt/sources.list.d/of-others.list", "deb http://mirror.invalid/debian bookworm main\n");
            shell.program("fake-dpkg", `printf '%s\\n' "$*" >> '${path("calls")}'`);
            is(
                "apt.conf",
                `Dir "${shell.folder}"; Dir::State::status "${path("status")}"; Dir::Bin::dpkg "${path("bin/fake-dpkg")}"; ` +
                    `Dir::Etc::main "none"; Dir::Etc::parts "none"; APT::Sandbox::User ""; APT::Architecture "amd64";\n`,
            );
            hasFormer();
        });

        it("stages exactly the newest packages of the version, and installs nothing; other repositories need not answer", () => {
            const { status, stderr } = stage();
            assert.equal(status, 0, stderr);
            isStaged(names.map(name => `${name}_${to}-1.1_amd64.deb`).sort());
            assert.deepEqual(calls(), []);
            assert.equal(version("bin/kubelet"), `Kubernetes v${from}`);
            // A second time: what was staged is replaced.
            assert.equal(stage().status, 0);
            isStaged(names.map(name => `${name}_${to}-1.1_amd64.deb`).sort());
        });

        it("brings along what they depend on: a newer package of the same repository, or one that is missing", () => {
            deb("kubelet", `${to}-1.2`, "Depends: kubernetes-cni (>= 1.8.0), conntrack\n");
            deb("conntrack", "1.0");
            index();
            const { status, stderr } = stage();
            assert.equal(status, 0, stderr);
            assert.deepEqual(files(`${staged}/packages`), [
                "conntrack_1.0_amd64.deb",
                `kubeadm_${to}-1.1_amd64.deb`,
                `kubectl_${to}-1.1_amd64.deb`,
                `kubelet_${to}-1.2_amd64.deb`,
                "kubernetes-cni_1.8.0-1.1_amd64.deb",
            ]);
        });

        it("refuses what would upgrade or remove packages of others, with their names", () => {
            deb("kubelet", `${to}-1.2`, "Depends: kubernetes-cni (>= 1.2.0), libc-of-others (>= 2)\n");
            deb("libc-of-others", "2.0");
            index();
            hasFormer(row("libc-of-others", "1.0"));
            const upgrade = stage();
            assert.equal(upgrade.status, exitCodes.FOREIGN_SOFTWARE, upgrade.stderr);
            assert.match(upgrade.stderr, /would also upgrade these packages of others: libc-of-others; nothing was/);
            deb(
                "kubelet",
                `${to}-1.3`,
                "Depends: kubernetes-cni (>= 1.2.0)\nConflicts: of-others\nBreaks: of-others\n",
            );
            index();
            hasFormer(row("of-others", "1.0"));
            const removal = stage();
            assert.equal(removal.status, exitCodes.FOREIGN_SOFTWARE, removal.stderr);
            assert.match(removal.stderr, /would remove these of others: of-others;/);
            assert.ok(!existsSync(path(staged)));
        });

        it("names the package that stands in the way because somebody holds it", () => {
            deb("kubelet", `${to}-1.2`, "Depends: kubernetes-cni (>= 1.8.0)\n");
            index();
            const status = readFileSync(path("status"), "utf8");
            is("status", status.replace(/(Package: kubernetes-cni\nStatus: )install/, "$1hold"));
            const said = stage();
            assert.equal(said.status, 100);
            assert.match(said.stderr, /kubelet : Depends: kubernetes-cni \(>= 1\.8\.0\) but 1\.7\.0-1\.1 is to be/);
        });

        it("leaves nothing that counts as staged where it is killed, and begins again", () => {
            shell.program("dpkg-deb", "kill -9 $PPID");
            assert.notEqual(stage().status, 0);
            assert.ok(!existsSync(path(staged)));
            shell.program("dpkg-deb", 'exec /usr/bin/dpkg-deb "$@"');
            assert.equal(stage().status, 0);
            isStaged(names.map(name => `${name}_${to}-1.1_amd64.deb`).sort());
        });

        it("says which versions there are where it has not the wanted one", () => {
            const { status, stderr } = stage({ VERSION: "1.34.9" });
            assert.equal(status, exitCodes.VERSION_MISMATCH);
            assert.match(stderr, /has no kubelet 1\.34\.9; it has 1\.34\.3 1\.34\.4 of it/);
            assert.deepEqual(files(`${staged}`), []);
        });

        it("gets the programs also where the packages count as installed, and a failed move has put the former ones back", () => {
            installed(row("kubernetes-cni", "1.8.0-1.1"), ...names.map(name => row(name, `${to}-1.1`)));
            const { status, stderr } = stage();
            assert.equal(status, 0, stderr);
            isStaged(names.map(name => `${name}_${to}-1.1_amd64.deb`).sort());
        });

        it("takes no package of that name from a repository of others", () => {
            buildPackage(path("others"), { name: "kubelet", version: `${to}-9.9` });
            indexPackages(path("others"));
            is("etc/apt/sources.list.d/of-others.list", `deb [trusted=yes] file:${path("others")} /\n`);
            const { status, stderr } = stage({}, `apt-get -q update\n${applied()}`);
            assert.equal(status, 0, stderr);
            isStaged(names.map(name => `${name}_${to}-1.1_amd64.deb`).sort());
        });

        it("leaves nothing on a disk that is full", () => {
            shell.program("dpkg-deb", 'echo "no space left on device" >&2; exit 2');
            const { status, stderr } = stage();
            assert.deepEqual([status, stderr], [2, "no space left on device\n"]);
            assert.deepEqual(files("programs/kubernetes"), []);
        });

        it("says so where the versions of a repository have another form", () => {
            for (const name of names) for (const number of [`1:${to}-1`, to]) deb(name, number);
            for (const number of ["1.0", "1.1"]) rmSync(path(`repo/kubelet_${to}-${number}_amd64.deb`));
            index();
            const { status, stderr } = stage();
            assert.equal(status, exitCodes.VERSION_MISMATCH);
            assert.match(
                stderr,
                /has no kubelet 1\.34\.4; it has 1\.34\.3 1\.34\.4 \(not 1\.34\.4-REVISION\) 1:1\.34\.4-1 \(not 1\.34\.4-REVISION\) of it/,
            );
        });

        it("takes nothing that is not signed, or is not what the index says", () => {
            is("repo/kubelet_1.34.4-1.1_amd64.deb", readFileSync(path("repo/kubectl_1.34.4-1.1_amd64.deb"), "latin1"));
            assert.notEqual(stage().status, 0);
            assert.ok(!existsSync(path(staged)));
            is("etc/apt/sources.list.d/pulumi-nfv-kubernetes.list", `deb file:${path("repo")} /\n`);
            assert.match(stage().stderr, /does not have a Release file/);
            assert.ok(!existsSync(path(staged)));
        });

        it("installs at once on a machine that is no member, or whose kubelet has the version already", () => {
            shell.program("dpkg", ":");
            shell.program(
                "dpkg-query",
                `case "$3" in *Version*) printf 'installed ${from}-1.1' ;; *) printf installed ;; esac`,
            );
            shell.program("apt-mark", `printf 'apt-mark %s\\n' "$*" >> '${path("calls")}'`);
            for (const prepare of [
                () => is("proc/7/exe", program(to), 0o755),
                () => {
                    is("proc/7/exe", program(from), 0o755);
                    is("state/member");
                },
            ]) {
                prepare();
                is("calls");
                const { status, stderr } = stage();
                assert.equal(status, 0, stderr);
                assert.ok(calls().some(call => call.includes("--unpack")));
                assert.equal(calls().at(-1), "apt-mark hold kubelet kubeadm kubectl");
                assert.ok(!existsSync(path(staged)));
            }
        });

        it("is looked at for a preview beside the machine's own lists", () => {
            const check = (wanted: string, key = "KEY") =>
                stage(
                    { VERSION: wanted, URL: `file:${path("repo")}`, KEY: key, KEY_URL: "https://mirror.invalid/key" },
                    script("node/kubernetes/check-repository.sh").replace(
                        "deb [signed-by=$work/key.asc]",
                        "deb [trusted=yes]",
                    ),
                );
            assert.deepEqual([check(to).status, check(to).stderr], [0, ""]);
            const none = check("1.34.9");
            assert.equal(none.status, exitCodes.VERSION_MISMATCH);
            assert.equal(none.stderr, "the repository has no kubelet 1.34.9; it has 1.34.3 1.34.4 of it\n");
            assert.deepEqual(files("var/lib/apt/lists"), ["partial"]);
            shell.program("curl", "exit 22");
            assert.equal(check(to, "").status, 22);
        });

        it("is looked at also where curl is not installed, which up does", () => {
            is("key", "KEY");
            shell.program("curl", "exit 22");
            const withoutCurl = "command() { case $2 in curl) return 1 ;; esac; }\n";
            const text = script("node/kubernetes/check-repository.sh").replace(
                "deb [signed-by=$work/key.asc]",
                "deb [trusted=yes]",
            );
            const env = { VERSION: to, URL: `file:${path("repo")}`, KEY: "", KEY_URL: `file:${path("key")}` };
            const { status, stderr } = stage(env, `${withoutCurl}${text}\ngrep -qx KEY "$work/key.asc"`);
            assert.deepEqual([status, stderr], [0, ""]);
        });
    });

    describe("with dnf", () => {
        const has = (...versions: string[]) =>
            is("available", versions.flatMap(each => names.map(name => `${name} ${each}-150500.1.1\n`)).join(""));
        const table = (...upgraded: string[]) =>
            [
                "Upgrading:",
                ...upgraded.map(name => ` ${name} x86_64 1.34.4-1 k8s 35 M`),
                "",
                "Transaction Summary",
                "",
            ].join("\n");

        beforeEach(() => {
            has(from, to);
            is("answer", table(...names));
            shell.program(
                "dnf",
                `printf '%s\\n' "$*" >> '${path("calls")}'
                case "$*" in
                    *repoquery*) cat '${path("available")}' ;;
                    *--assumeno*) cat '${path("answer")}'; exit 1 ;;
                    *--downloadonly*)
                        for word; do case $word in --setopt=destdir=*) into=\${word##*=} ;; esac; done
                        case "$*" in *reinstall*) of= ;; *) of=$(cat '${path("has")}' 2>/dev/null || true) ;; esac
                        for word; do
                            case $word in kube*) [ "$word" = "$of" ] || : > "$into/$word.x86_64.rpm" ;; esac
                        done ;;
                esac`,
            );
            shell.program("rpm2cpio", 'n=${1##*/}; echo "${n%%-*}"');
            const content = program(to).replaceAll("\n", "\\n").replaceAll('"', '\\"').replaceAll("$", "\\$");
            shell.program(
                "cpio",
                `read -r name; mkdir -p usr/bin; printf "${content}" > "usr/bin/$name"; chmod 755 "usr/bin/$name"`,
            );
        });

        it("stages the packages of the version, and installs nothing", () => {
            const { status, stderr } = run("dnf");
            assert.equal(status, 0, stderr);
            isStaged(names.map(name => `${name}-${to}-150500.1.1.x86_64.rpm`).sort());
            const exact = names.map(name => `${name}-${to}-150500.1.1`).join(" ");
            assert.deepEqual(
                lines("calls").map(call => call.replace(/ --setopt=destdir=\S+/, "")),
                [
                    "-q --refresh --setopt=disable_excludes=pulumi-nfv-kubernetes --repo=pulumi-nfv-kubernetes repoquery --qf %{name} %{version}-%{release}\\n kubelet kubeadm kubectl",
                    `--setopt=assumeyes=0 --assumeno install --setopt=disable_excludes=pulumi-nfv-kubernetes ${exact}`,
                    `-q -y --setopt=disable_excludes=pulumi-nfv-kubernetes install --downloadonly ${exact}`,
                ],
            );
        });

        it("gets the programs also of a package that counts as installed", () => {
            is("has", `kubelet-${to}-150500.1.1`);
            const { status, stderr } = run("dnf");
            assert.equal(status, 0, stderr);
            isStaged(names.map(name => `${name}-${to}-150500.1.1.x86_64.rpm`).sort());
            assert.match(lines("calls").at(-1)!, / reinstall --downloadonly kubelet-1\.34\.4-150500\.1\.1$/);
        });

        it("refuses what would upgrade packages of others, and a version that is not there", () => {
            is("answer", table(...names, "systemd"));
            const upgrade = run("dnf");
            assert.equal(upgrade.status, exitCodes.FOREIGN_SOFTWARE, upgrade.stderr);
            assert.match(upgrade.stderr, /would also upgrade these packages of others: systemd;/);
            has(from);
            const none = run("dnf");
            assert.equal(none.status, exitCodes.VERSION_MISMATCH);
            assert.match(none.stderr, /has no kubelet 1\.34\.4; it has 1\.34\.3 of it/);
            assert.ok(!existsSync(path(staged)));
        });
    });

    it("are no drift while they are staged beside what runs, and are one if neither version is there", () => {
        const observed = () => run("apt", observeVersions.replaceAll(programFolder, path("programs"))).stdout;
        assert.match(observed(), /kubelet is Kubernetes v1\.34\.3, v1\.34\.4 is wanted/);
        is(`${staged}/former/version`, `${from}\n`);
        assert.equal(observed(), "");
        is("bin/kubelet", program("1.34.2"), 0o755);
        assert.match(observed(), /^kubelet is Kubernetes v1\.34\.2, v1\.34\.4 is wanted\n$/);
    });
});
