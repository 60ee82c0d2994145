import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { NodeSpec, Role } from "../../../../../provider/common/model";
import { joinCluster } from "../../../../../provider/member/join/join-cluster";
import { initConfig } from "../../../../../provider/member/join/kubeadm-config";
import { usualPath } from "../../../../../provider/shell/script";
import { nodeSpec } from "../../sample-specs";

/** Each program records its calls; `reset` removes what kubeadm's does, `join` leaves what kubeadm's leaves. */
const programs = (root: string) => ({
    kubeadm: `
        leave() {
            mkdir -p ${root}/etc/kubernetes/pki
            for file in kubelet.conf pki/ca.crt; do echo x >${root}/etc/kubernetes/$file; done
        }
        echo "kubeadm $1" >>${root}/calls
        case $1 in
            reset)
                rm -rf ${root}/etc/kubernetes/*.conf ${root}/etc/kubernetes/manifests ${root}/etc/kubernetes/pki
                [ ! -e ${root}/power-fails ] || { rm -rf ${root}/etc/kubernetes; kill -KILL $PPID; } ;;
            join) cp "$3" ${root}/config; [ "$JOIN_CODE" != 0 ] || leave; exit "$JOIN_CODE" ;;
        esac`,
    curl: "exit 7",
    systemctl: `echo "systemctl $*" >>${root}/calls`,
    ss: `cat ${root}/listens 2>/dev/null`,
    journalctl: "echo inotify_init: too many open files",
});

interface Try {
    stderr: string;
    code: number;
    calls: string[];
    config: string;
    /** Whether a file exists afterwards. */
    has(file: string): boolean;
}

describe("the script that initialises", () => {
    let root: string;
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-init-"));
        mkdirSync(join(root, "var/lib/pulumi-nfv"), { recursive: true });
        mkdirSync(join(root, "etc/kubernetes/pulumi-nfv"), { recursive: true });
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** The arguments of kubeadm init, which fails, and its configuration. */
    async function init(more: Partial<NodeSpec> = {}): Promise<string> {
        const spec = await nodeSpec({ role: "controlPlane", ...more });
        writeFileSync(join(root, "etc/kubernetes/pulumi-nfv/cluster.yaml"), initConfig(spec));
        const { run, env } = joinCluster("init")(spec)!;
        const script = run!
            .replace(usualPath, `kubeadm() { echo "$*"; cat "$3"; return 1; }; journalctl() { :; }`)
            .replace(/\/(etc\/kubernetes|var\/lib)\//g, `${root}/$1/`);
        return spawnSync("sh", ["-eu"], { input: script, encoding: "utf8", env: { ...env, PATH: process.env.PATH } })
            .stdout;
    }

    it("is refused by kubeadm's preflight again, as long as nothing of ours can be what that finds", async () => {
        assert.doesNotMatch(await init(), /ignore/);
        assert.doesNotMatch(await init(), /ignore/, "a second run");
    });

    it("waits for a start as long as the program says", async () => {
        for (const [startTimeoutSeconds, seconds] of [
            [undefined, "240s"],
            [600, "600s"],
        ] as const) {
            const [text] = (await init({ startTimeoutSeconds })).split("\n").slice(1).join("\n").split("---\n");
            const { timeouts } = parse(text!);
            assert.equal(timeouts.kubernetesAPICall, seconds);
            assert.equal(timeouts.controlPlaneComponentHealthCheck, seconds);
        }
        const limit = async (more: Partial<NodeSpec>) => joinCluster("init")(await nodeSpec(more))!.timeoutSeconds;
        assert.deepEqual([await limit({}), await limit({ startTimeoutSeconds: 600 })], [900, 1620]);
    });

    for (const file of ["etc/kubernetes/admin.conf", "var/lib/kubelet/config.yaml"]) {
        it(`goes over what a former try of ours left: ${file}`, async () => {
            await init();
            mkdirSync(dirname(join(root, file)), { recursive: true });
            writeFileSync(join(root, file), "");
            assert.match(await init(), /--ignore-preflight-errors=DirAvailable/);
        });
    }
});

describe("the script that joins", () => {
    let root: string;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-join-"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** Runs the script in a folder that stands for the machine's root and already contains `files`. */
    async function attempt(
        role: Role,
        files: string[],
        joinCode = 0,
        begunBy = "core-1234",
        text = "",
        said = "",
    ): Promise<Try> {
        const put = (file: string, content: string, mode = 0o644) => {
            mkdirSync(dirname(join(root, file)), { recursive: true });
            writeFileSync(join(root, file), content, { mode });
        };
        for (const [name, text] of Object.entries(programs(root))) put(`bin/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
        for (const file of ["calls", "etc/kubernetes/pulumi-nfv/patches/ours", ...files]) put(file, text);
        put("var/lib/pulumi-nfv/journal/host.files", "");
        put("var/lib/pulumi-nfv/join-started", begunBy);
        put("config", "");
        put("secrets/control-plane", `${said}abcdef.0123456789abcdef\n`);
        const { run, env } = joinCluster("join")(await nodeSpec({ role }))!;
        const script = run!
            .replace(usualPath, "")
            .replace(/\/(etc\/kubernetes|var\/lib\/(?:pulumi-nfv|kubelet\/config))/g, `${root}/$1`);
        const { status, stderr } = spawnSync("sh", ["-eu"], {
            input: script,
            encoding: "utf8",
            env: {
                ...env,
                SECRETS: `${root}/secrets`,
                JOIN_CODE: `${joinCode}`,
                PATH: `${root}/bin:${process.env.PATH}`,
            },
        });
        return {
            code: status ?? -1,
            stderr,
            calls: readFileSync(join(root, "calls"), "utf8").split("\n").filter(Boolean),
            config: readFileSync(join(root, "config"), "utf8"),
            has: file => existsSync(join(root, file)),
        };
    }

    const member = "var/lib/pulumi-nfv/member";

    it("notes which keys the cluster has left, as another control-plane node knows it: no state from before may bring them back", async () => {
        const notes = "var/lib/pulumi-nfv/rotated";
        const said = "rotated core-1234 encryption\nrotated core-1234 authorities\nrotated other-1 encryption\n";
        const { code, stderr } = await attempt("controlPlane", [], 0, "core-1234", "", said);
        assert.equal(code, 0, stderr);
        assert.equal(readFileSync(join(root, notes), "utf8"), "core-1234 encryption\ncore-1234 authorities\n");
        await attempt("controlPlane", [], 0, "core-1234", "", said);
        assert.equal(readFileSync(join(root, notes), "utf8"), "core-1234 encryption\ncore-1234 authorities\n");
        assert.ok(!(await attempt("worker", [])).has(`${notes}.new`));
    });

    it("takes over which restore and which requests the cluster has done; its own note of that word stays", async () => {
        const note = (name: string) => readFileSync(join(root, "var/lib/pulumi-nfv", name), "utf8");
        const said = "restored b 4567cdef\nrestored a 0123abcd\nrequest os-upgrade 2026-11\n";
        await attempt("controlPlane", [], 0, "core-1234", "", said);
        assert.equal(note("etcd-restored"), "a 0123abcd\nb 4567cdef\n");
        assert.match(note("requests/os-upgrade"), /^2026-11 done \S+\n$/);
        writeFileSync(join(root, "var/lib/pulumi-nfv/requests/os-upgrade"), "2026-11 upgraded boot-1\n");
        await attempt("controlPlane", [], 0, "core-1234", "", said);
        assert.equal(note("requests/os-upgrade"), "2026-11 upgraded boot-1\n");
        await attempt("worker", []);
        assert.equal(note("etcd-restored"), "a 0123abcd\nb 4567cdef\n");
    });

    it("joins a fresh machine and notes that it is a member", async () => {
        const { code, stderr, calls, config, has } = await attempt("worker", []);
        assert.equal(stderr, "");
        assert.deepEqual([code, calls, has(member)], [0, ["kubeadm join"], true]);
        assert.match(config, /"token":"abcdef\.0123456789abcdef/);
        assert.equal(has("secrets/join.yaml"), false);
    });

    for (const [role, left] of [
        ["worker", "etc/kubernetes/kubelet.conf"],
        ["worker", "etc/kubernetes/bootstrap-kubelet.conf"],
        ["worker", "etc/kubernetes/pki/ca.crt"],
        ["controlPlane", "etc/kubernetes/bootstrap-kubelet.conf"],
        ["controlPlane", "etc/kubernetes/manifests/kube-apiserver.yaml"],
    ] as const) {
        it(`takes a former try's ${left} off a ${role} first, and keeps what is ours`, async () => {
            const ours = role === "worker" ? [] : ["etc/kubernetes/pki/ca.key"];
            const { code, stderr, calls, has } = await attempt(role, [left, ...ours]);
            assert.equal(stderr, "");
            assert.deepEqual([code, calls], [0, ["kubeadm reset", "kubeadm join"]]);
            for (const file of ["etc/kubernetes/pulumi-nfv/patches/ours", ...ours, member]) assert.ok(has(file), file);
            assert.equal(has("etc/kubernetes/manifests"), false);
        });
    }

    it("has a master's keys and our files again after a power failure behind kubeadm's reset", async () => {
        const keys = ["etc/kubernetes/pki/ca.key", "etc/kubernetes/pki/etcd/ca.key"];
        const left = ["etc/kubernetes/manifests/etcd.yaml", ...keys];
        const cut = await attempt("controlPlane", [...left, "power-fails"], 0, "core-1234", "key");
        assert.deepEqual([cut.code, cut.has("etc/kubernetes/pki/ca.key")], [-1, false]);
        rmSync(join(root, "power-fails"));
        const { code, stderr, calls, has } = await attempt("controlPlane", []);
        assert.deepEqual([code, stderr, calls], [0, "", ["kubeadm join"]]);
        for (const key of keys) assert.equal(readFileSync(join(root, key), "utf8"), "key");
        assert.ok(has("etc/kubernetes/pulumi-nfv/patches/ours"));
        assert.ok(!has("var/lib/pulumi-nfv/kept-for-join"), "nothing of the keys stays");
    });

    it("puts nothing back over what a step has written since", async () => {
        const kept = "var/lib/pulumi-nfv/kept-for-join";
        const files = [`${kept}/pki/ca.key`, `${kept}/pulumi-nfv/patches/ours`];
        await attempt("controlPlane", files, 0, "core-1234", "former");
        const { has } = await attempt("controlPlane", ["etc/kubernetes/pki/ca.key", ...files], 0, "core-1234", "newer");
        assert.equal(readFileSync(join(root, "etc/kubernetes/pki/ca.key"), "utf8"), "newer");
        assert.ok(!has(kept));
    });

    it("resets nothing that it did not begin, and says so", async () => {
        for (const left of ["etc/kubernetes/kubelet.conf", "etc/kubernetes/pki/ca.crt"]) {
            const { code, stderr, calls, has } = await attempt("worker", [left], 0, "edge-2");
            assert.deepEqual([code, calls, has(left)], [46, [], true]);
            assert.match(stderr, /parts of a cluster that we did not make/);
        }
    });

    it("takes a master's keys, which were placed before, for no trace of a former try", async () => {
        const { calls } = await attempt("controlPlane", ["etc/kubernetes/pki/ca.crt"]);
        assert.deepEqual(calls, ["kubeadm join"]);
    });

    it("that fails tells what kubelet said, if it was started and does not listen", async () => {
        const [settings, listens] = ["var/lib/kubelet/config.yaml", "listens"];
        const said = "kubelet does not answer on this machine. Its last words:\ninotify_init: too many open files\n";
        assert.equal((await attempt("worker", [settings], 3)).stderr, said);
        assert.equal((await attempt("worker", [settings, listens], 3, "core-1234", "x")).stderr, "");
        rmSync(join(root, settings));
        assert.equal((await attempt("worker", [], 3)).stderr, "");
    });

    it("that fails keeps kubeadm's exit code, and no kubelet goes on to register the node", async () => {
        const { code, calls, has } = await attempt("worker", [], 3);
        assert.deepEqual([code, calls, has(member)], [3, ["kubeadm join", "systemctl stop kubelet.service"], false]);
        assert.equal(has("secrets/join.yaml"), false);
    });
});
