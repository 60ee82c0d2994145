import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseHealth } from "../../../../provider/health/facts";
import { healthScript } from "../../../../provider/health/look";
import { usualPath } from "../../../../provider/shell/script";
import { encodeScript } from "../../../../provider/steps/protocol";
import { testIdentity } from "../support/cluster";

describe("the look at a machine, by a real shell", () => {
    let root: string;
    let programs: string;
    const file = (path: string) => join(root, path);
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const program = (name: string, text: string) =>
        writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-health-"));
        programs = join(root, "programs");
        mkdirSync(programs);
        write("proc/uptime", "4711.25 9000.00\n");
        for (const folder of ["kubelet", "containerd", "etcd"])
            mkdirSync(file(`var/lib/${folder}`), { recursive: true });
        program(
            "systemctl",
            '[ "$*" = "is-active kubelet.service containerd.service" ] && printf "active\\nactive\\n"',
        );
        program("ctr", ":");
        program("curl", "exit 7");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    function look(notes = "") {
        const run = healthScript.replace(usualPath, "").replace(/(?<![\w.}])\/(etc|var\/lib|proc)\b/g, `${root}/$1`);
        const began = Date.now();
        const { status, stdout, stderr } = spawnSync("sh", ["-s"], {
            input: encodeScript({ run, env: { NOTES: notes } }),
            encoding: "utf8",
            env: { PATH: `${programs}:${process.env["PATH"]}` },
        });
        assert.equal(status, 0, stderr);
        return { stdout, facts: parseHealth(stdout.replaceAll(root, "")), seconds: (Date.now() - began) / 1000 };
    }
    const tree = () =>
        (readdirSync(root, { recursive: true }) as string[])
            .filter(path => statSync(file(path)).isFile())
            .map(
                path =>
                    `${path} ${createHash("sha256")
                        .update(readFileSync(file(path)))
                        .digest("hex")}`,
            )
            .sort();

    it("tells of a worker: its services, its file systems", () => {
        const { facts } = look();
        const { disks, ...others } = facts;
        assert.deepEqual(others, {
            uptimeSeconds: 4711,
            joined: false,
            ...{ kubelet: "active", runtime: "active", runtimeAnswers: true },
            certificates: {},
            pods: {},
        });
        assert.deepEqual(
            disks.map(({ folder }) => folder),
            ["/var/lib/kubelet", "/var/lib/containerd", "/var/lib/etcd", "/"],
        );
        assert.equal(disks[0]!.device, disks[1]!.device);
        assert.ok(disks.every(({ size, free }) => size > 0 && free <= size));
    });

    it("tells of services that do not run", () => {
        program("systemctl", 'printf "inactive\\nfailed\\n"; exit 3');
        program("ctr", "exit 1");
        const { facts } = look();
        assert.deepEqual([facts.kubelet, facts.runtime, facts.runtimeAnswers], ["inactive", "failed", false]);
    });

    it("tells of a control-plane node: certificates without their keys, static pods, etcd", async () => {
        const { caCertificate } = await testIdentity();
        write("etc/kubernetes/kubelet.conf", "kind: Config\n");
        write("etc/kubernetes/pki/apiserver.crt", caCertificate);
        const key = "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----\n";
        write("var/lib/kubelet/pki/kubelet-client-current.pem", `${caCertificate}${key}`);
        const flags = ["--listen-client-urls=https://127.0.0.1:2379", "--listen-metrics-urls=http://127.0.0.1:2381"];
        write("etc/kubernetes/manifests/etcd.yaml", flags.map(flag => `    - ${flag}\n`).join(""));
        for (const pod of ["kube-apiserver", "kube-controller-manager"])
            write(`etc/kubernetes/manifests/${pod}.yaml`, "");
        for (const [id, name] of Object.entries({ 1: "systemd", 7: "etcd", 8: "kube-controller" }))
            write(`proc/${id}/comm`, `${name}\n`);
        program(
            "curl",
            `for url do :; done; case $url in http://127.0.0.1:2381/health) echo '{"health":"true","reason":""}' ;;
http://127.0.0.1:2381/metrics) printf '# TYPE\\netcd_mvcc_db_total_size_in_bytes 2.0e+07\\netcd_mvcc_db_total_size_in_use_in_bytes 8192\\netcd_server_quota_backend_bytes 2.147483648e+09\\n' ;; esac`,
        );
        program("sleep", ":");
        const { facts, stdout } = look();
        assert.equal(facts.joined, true);
        assert.deepEqual(Object.keys(facts.certificates), ["apiserver", "kubelet"]);
        assert.ok(!stdout.includes(Buffer.from("PRIVATE").toString("base64").slice(0, 8)));
        assert.ok(
            !Buffer.from(/^certificate=kubelet (.*)$/m.exec(stdout)![1]!, "base64")
                .toString()
                .includes("PRIVATE"),
        );
        assert.deepEqual(facts.pods, {
            ...{ etcd: "running", "kube-apiserver": "stopped" },
            ...{ "kube-controller-manager": "running", "kube-scheduler": "absent" },
        });
        assert.equal(facts.etcd, "");
        assert.deepEqual(facts.etcdSpace, { size: 2e7, inUse: 8192, quota: 2 ** 31 });
        program("curl", "exit 28");
        assert.equal(look().facts.etcd, "silent");
        const thirdTime = (before: string) =>
            `case "$*" in *health) echo >>${root}/asked; [ "$(wc -l <${root}/asked)" -ge 3 ] || { ${before}; }; echo '{"health":"true"}' ;; esac`;
        for (const before of [
            "exit 28",
            `echo '{"health":"false","reason":"QGET ERROR:etcdserver: request timed out"}'; exit`,
        ]) {
            rmSync(file("asked"), { force: true });
            program("curl", thirdTime(before));
            assert.equal(look().facts.etcd, "", before);
        }
        program("curl", "exit 2");
        assert.equal(look().facts.etcd, undefined);
    });

    it("knows of a kubelet that has just ended that it ends each time only if it was started again before", () => {
        const kubelet = (restarts: string) => {
            program(
                "systemctl",
                `case $1 in show) echo ${restarts} ;; *) printf "activating\\nactive\\n"; exit 3 ;; esac`,
            );
            return look().facts.kubelet;
        };
        assert.deepEqual(["0", "1", ""].map(kubelet), [undefined, "activating", "activating"]);
    });

    it("takes nothing for silent or stopped that only starts: it looks again for some seconds", () => {
        const secondTime = (then: string) =>
            `echo >>${root}/asked; [ "$(wc -l <${root}/asked)" -ge 2 ] || exit 1; ${then}`;
        program("ctr", secondTime(":"));
        assert.equal(look().facts.runtimeAnswers, true);
        write("etc/kubernetes/pki/apiserver.crt", "x\n");
        write("etc/kubernetes/manifests/kube-scheduler.yaml", "");
        mkdirSync(file("proc/9"), { recursive: true });
        program("sleep", `echo kube-scheduler >${root}/proc/9/comm`);
        assert.equal(look().facts.pods["kube-scheduler"], "running");
        rmSync(file("proc/9/comm"));
        program("sleep", ":");
        assert.equal(look().facts.pods["kube-scheduler"], "stopped");
    });

    it("reads kubelet's own thresholds", () => {
        write(
            "var/lib/kubelet/config.yaml",
            'cgroupDriver: systemd\nevictionHard:\n  imagefs.available: 0%\n  nodefs.available: "5%"\nfailSwapOn: true\n',
        );
        assert.deepEqual(look().facts.evictions, { "imagefs.available": "0%", "nodefs.available": "5%" });
        write("var/lib/kubelet/config.yaml", "evictionPressureTransitionPeriod: 0s\n");
        assert.equal(look().facts.evictions, undefined);
    });

    it("finds out nothing where programs are missing, and does not fail", () => {
        program("systemctl", "exit 127");
        program("ctr", "exit 127");
        program("stat", "exit 1");
        rmSync(file("proc/uptime"));
        assert.deepEqual(look().facts, { joined: false, disks: [], certificates: {}, pods: {} });
    });

    it("asks the machine's notes besides, but not while the node moves to another version", () => {
        write("notes", "printf '\\036a\\037f\\037do a\\0370\\nit differs\\n'\n");
        const said = look(file("notes")).stdout;
        assert.ok(said.includes("runtimeAnswers=yes\n") && said.endsWith("\x1ea\x1ff\x1fdo a\x1f0\nit differs\n"));
        mkdirSync(file("var/lib/pulumi-nfv/upgrade"), { recursive: true });
        assert.ok(!look(file("notes")).stdout.includes("\x1e"));
        assert.ok(!look(file("elsewhere")).stdout.includes("\x1e"));
    });

    it("ends within 25 seconds, whatever hangs, and changes nothing", () => {
        write("etc/kubernetes/manifests/etcd.yaml", "    - --listen-metrics-urls=http://127.0.0.1:2381\n");
        for (const name of ["ctr", "stat"]) program(name, "exec sleep 60");
        program("systemctl", 'printf "active\\nactive\\n"; exec sleep 60');
        // its own limit is an option
        program("curl", 'while [ "$1" != -m ]; do shift; done; sleep "$2"; exit 28');
        const before = tree();
        const { seconds, facts } = look();
        assert.ok(seconds < 25, String(seconds));
        assert.deepEqual(
            [facts.kubelet, facts.disks.length, facts.runtimeAnswers, facts.etcd],
            ["active", 0, false, "silent"],
        );
        assert.deepEqual(tree(), before);
    });
});
