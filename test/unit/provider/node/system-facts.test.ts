import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { repositoryLook } from "../../../../provider/node/kubernetes/kubernetes-packages";
import {
    parseSystem,
    type SystemFacts,
    type SystemWish,
    systemProblems,
    systemQuery,
    systemWarning,
} from "../../../../provider/node/system-facts";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { hostSpec } from "../sample-specs";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const now = 1_800_000_000;
const facts: SystemFacts = {
    ...{ time: now, system: "Debian GNU/Linux 12 (bookworm)", machine: "x86_64", kernel: "6.1.0-13-amd64" },
    ...{ init: "systemd", cgroups: "cgroup2fs", programs: ["apt-get", "flock", "timeout"] },
    ...{ freeMiB: 50_000, hasAddress: true, resolvConf: "/etc/resolv.conf", resolvConfMissing: false },
    ...{ nameservers: ["10.0.0.2"], ports: [], containerd: "1.6.20" },
};
const wish: SystemWish = hostSpec({ kubernetesVersion: "1.36.3" });
const problems = (changes: Partial<SystemFacts>, changed: Partial<SystemWish> = {}) =>
    systemProblems({ facts: { ...facts, ...changes }, wish: { ...wish, ...changed }, now, clockSeconds: 60 });

describe("whether a system is fit for a node", () => {
    it("finds nothing wrong with Debian", () => assert.deepEqual(problems({}), []));

    const wrong: [what: string, Partial<SystemFacts>, RegExp, Partial<SystemWish>?][] = [
        ["another init", { init: "sh" }, /^its first process is sh, and nodes need systemd/],
        ["no flock", { programs: ["timeout"] }, /^it has no flock/],
        ["ARM, with a bundle", { machine: "aarch64" }, /aarch64, and a bundle is for x86_64/],
        ["no dnf", {}, /Debian.* has no dnf, which kubernetes.source.dnf needs/, { source: { dnf: {} } }],
        ["an old kernel", { kernel: "4.18.0-553.el8" }, /kernel is 4.18.0-553.el8.*4.19 or newer/],
        [
            "old control groups",
            { cgroups: "tmpfs" },
            /control groups of version 1.*kubelet 1.36 needs version 2.*failCgroupV1: false/,
        ],
        [
            "a containerd that is too old",
            { containerd: "1.5.18" },
            /^its containerd is 1.5.18, and Kubernetes 1.36.3 needs 1.6 or later.*containerRuntime/,
        ],
        [
            "containerd 1.x after the last minor that works with it",
            { containerd: "1.7.24" },
            /^its containerd is 1.7.24, and Kubernetes 1.38.0 needs 2.0 or later/,
            { kubernetesVersion: "1.38.0" },
        ],
        ["another address", { hasAddress: false }, /^none of its network interfaces has the address 10.0.0.11$/],
        ["a clock that is behind", { time: now - 400 }, /clock is 400 s behind this machine's/],
        ["a clock that is ahead", { time: now + 90_000 }, /clock is 90000 s ahead of/],
        ["a full disk", { freeMiB: 300 }, /its disk has 300 MiB free below \/var\/lib/],
        [
            "a resolver on loopback",
            { nameservers: ["127.0.0.53"] },
            /^\/etc\/resolv.conf names the loopback address 127.0.0.53 .*kubelet.resolvConf/,
        ],
        [
            "one of two on loopback",
            { nameservers: ["10.0.0.2", "::1"] },
            /^\/etc\/resolv.conf names the loopback address ::1 /,
        ],
        ...["::ffff:127.0.0.1", "0:0:0:0:0:0:0:1", "127.0.0.1%lo", "::1%lo"].map((each): (typeof wrong)[number] => [
            `loopback as ${each}`,
            { nameservers: [each] },
            /names the loopback address/,
        ]),
        ["a file without a name server", { nameservers: [] }, /^\/etc\/resolv.conf names no name server/],
        [
            "no file of name servers",
            { resolvConfMissing: true, resolvConf: "/etc/k.conf" },
            /\/etc\/k.conf, is not there: correct kubelet.resolvConf/,
            { resolvConf: "/etc/k.conf" },
        ],
        [
            "a port that is taken",
            { ports: ["6443 haproxy", "10250 kubelet"] },
            /^somebody listens on its port 6443 \(haproxy\), 10250 \(kubelet\)$/,
        ],
    ];
    for (const [what, changes, text, changed] of wrong) {
        it(`refuses ${what}`, () => {
            const found = problems(changes, changed);
            assert.equal(found.length, 1, found.join("\n"));
            assert.match(found[0]!, text);
        });
    }

    it("warns of containerd 1.x with the last minor that works with it; the bundle's own takes its place", () => {
        const warning = (containerd: string, kubernetesVersion: string, source = wish.source) =>
            systemWarning({ ...facts, containerd }, { ...wish, kubernetesVersion, source });
        assert.match(warning("1.7.24", "1.37.2")!, /^containerd 1.7.24: Kubernetes 1.37 is the last minor/);
        assert.deepEqual(
            [warning("2.4.2", "1.37.2"), warning("1.7.24", "1.36.3"), warning("", "1.37.2")],
            [...[undefined, undefined, undefined]],
        );
        const runtime = {
            path: "containerd",
            kind: "runtime",
            roles: ["worker"],
            sha256: "",
            sizeBytes: 1,
            version: "2.4.2",
        };
        const bundle = { path: "/bundle", files: [runtime] } as unknown as NonNullable<typeof wish.source.bundle>;
        assert.equal(warning("1.7.24", "1.37.2", { bundle }), undefined);
        assert.deepEqual(problems({ containerd: "1.5.18" }, { source: { bundle } }), []);
        assert.deepEqual(problems({ containerd: "1.5.18" }, { runtimeFromBundle: true }), []);
    });

    it("bears old control groups with an older kubelet, or if the program does", () => {
        assert.deepEqual(problems({ cgroups: "tmpfs" }, { kubernetesVersion: "1.34.4" }), []);
        assert.deepEqual(problems({ cgroups: "tmpfs" }, { oldCgroups: true }), []);
    });

    it("takes ARM with packages, and tells several problems", () => {
        assert.deepEqual(problems({ machine: "aarch64" }, { source: { apt: {} } }), []);
        assert.equal(problems({ init: "sh", freeMiB: 1, time: 0 }).length, 3);
    });
});

describe("the look at a system", () => {
    let shell: ShellRun;
    beforeEach(() => {
        shell = shellIn("sh");
        shell.program(
            "systemctl",
            `[ "$*" = "-q is-active systemd-resolved.service" ] && [ -e '${join(shell.folder, "resolved")}' ]`,
        );
        mkdirSync(join(shell.folder, "etc"));
        mkdirSync(join(shell.folder, "run/systemd/resolve"), { recursive: true });
        put("etc/resolv.conf", "# nameserver 9.9.9.9\nnameserver 127.0.0.1\n");
        put("run/systemd/resolve/resolv.conf", "nameserver 10.0.0.2\n");
    });
    afterEach(() => shell.remove());
    const put = (file: string, text: string) => writeFileSync(join(shell.folder, file), text);
    const look = (changes: Partial<SystemWish> = {}) => {
        const { script, env = {} } = systemQuery({ ...wish, address: "127.0.0.1", ...changes });
        const values = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
        const text = script
            .replace(/^PATH=.*$/m, "")
            .replace(/(?<=[ =])\/(etc\/resolv|run\/systemd)/g, `${shell.folder}/$1`);
        const { stdout, stderr, status } = shell.run([...values, text].join("\n"));
        assert.deepEqual([stderr, status], ["", 0]);
        return parseSystem(stdout.replaceAll(shell.folder, ""))!;
    };

    it("prints what this machine is", () => {
        const { time, machine, kernel, freeMiB, hasAddress, programs } = look();
        assert.ok(Math.abs(time - Date.now() / 1000) < 30);
        assert.match(machine, /^\w+$/);
        assert.match(kernel, /^\d+\.\d+/);
        assert.ok(freeMiB > 0);
        assert.ok(hasAddress && programs.includes("timeout"));
        assert.equal(look({ address: "203.0.113.77" }).hasAddress, false);
    });

    it("reads the file of name servers that kubeadm would give to kubelet", () => {
        assert.deepEqual([look().resolvConf, look().nameservers], ["/etc/resolv.conf", ["127.0.0.1"]]);
        put("resolved", "");
        assert.deepEqual([look().resolvConf, look().nameservers], ["/run/systemd/resolve/resolv.conf", ["10.0.0.2"]]);
        put("other", "nameserver 10.0.0.3\n");
        assert.deepEqual(look({ resolvConf: join(shell.folder, "other") }).nameservers, ["10.0.0.3"]);
        assert.equal(look({ resolvConf: "/no/such/file" }).resolvConfMissing, true);
    });
});

describe("the look at a repository of packages", () => {
    let server: Server;
    let shell: ShellRun;
    const packages = ["1.36.2-1.1", "1.36.3-1.1"].map(version => `Package: kubelet\nVersion: ${version}\n\n`).join("");
    before(async () => {
        const files: Record<string, string> = {
            "/v1.36/InRelease": "x",
            "/v1.36/Packages": `Package: kubeadm\nVersion: 1.99.0-1.1\n\n${packages}`,
            "/packed/InRelease": "x",
            "/detached/Release": "x",
            "/detached/Packages": packages,
            "/slow/InRelease": "x",
            "/slow/Packages": `Package: kubelet\nVersion: 1.36.2-1.1\n\n`,
            "/rpm/repodata/repomd.xml": "x",
        };
        server = createServer(({ url = "" }, answer) => {
            answer.statusCode = url.startsWith("/login/") ? 403 : files[url] === undefined ? 404 : 200;
            // It never ends.
            if (url === "/slow/Packages") answer.write(files[url]);
            else answer.end(files[url] ?? "");
        });
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        shell = shellIn("sh");
    });
    after(() => {
        server.closeAllConnections();
        server.close();
        shell.remove();
    });
    const look = async (kubernetesVersion: string, source: "apt" | "dnf", folder: string, port?: number) => {
        const own = { repository: `http://127.0.0.1:${port ?? (server.address() as AddressInfo).port}/${folder}` };
        const { script, env = {} } = repositoryLook({ kubernetesVersion, source: { [source]: own } })!;
        const values = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
        const child = spawn("sh", ["-s"]);
        let said = "";
        child.stderr.on("data", text => {
            said += text;
        });
        child.stdin.end(["set -eu", ...values, script].join("\n"));
        const code = await new Promise(resolve => child.once("close", resolve));
        return { code, said };
    };

    it("refuses what it certainly lacks, and tells what it has", async () => {
        assert.deepEqual(await look("1.36.3", "apt", "v1.36"), { code: 0, said: "" });
        const lacks = await look("1.36.9", "apt", "v1.36");
        assert.equal(lacks.code, exitCodes.VERSION_MISMATCH);
        assert.match(lacks.said, /the repository has no kubelet 1\.36\.9; it has 1\.36\.2 1\.36\.3/);
        for (const source of ["apt", "dnf"] as const) {
            const { code, said } = await look("1.99.0", source, "v1.99");
            assert.equal(code, exitCodes.VERSION_MISMATCH);
            assert.match(
                said,
                /there is no repository of Kubernetes 1\.99\.0 at http:.*v1\.99\/: .* is answered by 404/,
            );
        }
    });

    it("takes a signature in a file of its own for one, too", async () => {
        assert.deepEqual(await look("1.36.3", "apt", "detached"), { code: 0, said: "" });
        assert.equal((await look("1.36.9", "apt", "detached")).code, exitCodes.VERSION_MISMATCH);
    });

    it("proves nothing by a list that was cut off, or by one of others that wants a login", async () => {
        assert.deepEqual(await look("1.36.3", "apt", "slow"), { code: 0, said: "" });
        assert.deepEqual(await look("1.36.3", "apt", "login"), { code: 0, said: "" });
        assert.match(repositoryLook({ kubernetesVersion: "1.99.0", source: { apt: {} } })!.env!["ABSENT"]!, /403/);
    });

    it("proves nothing by a repository that cannot be reached, or whose list is packed", async () => {
        assert.equal((await look("1.99.0", "apt", "packed")).code, 0);
        assert.equal((await look("1.99.0", "dnf", "rpm")).code, 0);
        assert.equal((await look("1.99.0", "apt", "v1.99", 1)).code, 0);
    });
});
