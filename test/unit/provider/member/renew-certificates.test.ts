import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAuthority, createClientCertificate, type KeyPair } from "../../../../provider/identity/certificates";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";

const day = 86_400_000;
const due = `${kubeadmScript("member/lib/due-certificates.sh")}\ndue_certificates\n`;
const onMaster = [
    kubeadmScript("member/lib/due-certificates.sh"),
    kubeadmScript("member/lib/kubelet-certificates.sh"),
    kubeadmScript("member/lib/sign-kubelet-client.sh"),
    "renew_kubelet_certificates\n",
].join("\n");
const onWorker = kubeadmScript("member/renew-worker-certificates.sh");

/** Waiting costs no time. kubelet does what $KUBELET says each time that it starts. */
const world = `
    ADDRESS=127.0.0.1 NAME=w1
    sleep() { echo x >> "$ROOT/clock"; }
    date() { if [ "$*" = +%s ]; then echo $(($(command date +%s) + 20 * $(wc -l < "$ROOT/clock"))); else command date "$@"; fi; }
    journalctl() { echo "kubelet says why"; }
    systemctl() { echo "$*" >> "$ROOT/systemctl"; case $1 in restart) eval "$KUBELET" ;; esac; }
    pgrep() { false; }
`;

describe("the renewal of a machine's certificates", () => {
    let root: string;
    let authority: KeyPair;
    const file = (path: string) => join(root, path);
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const issue = (validDays: number) =>
        createClientCertificate(authority, { commonName: "system:node:w1", organization: "system:nodes", validDays });
    const pki = "etc/kubernetes/pki";
    const kubelet = "var/lib/kubelet/pki";
    const place = async (name: string, days: number) => {
        const { certificate, key } = await issue(days);
        write(`${pki}/${name}.crt`, certificate);
        write(`${pki}/${name}.key`, key);
    };
    const placeClient = async (days: number) => {
        const { certificate, key } = await issue(days);
        write(`${kubelet}/kubelet-client-1.pem`, certificate + key);
        symlinkSync(file(`${kubelet}/kubelet-client-1.pem`), file(`${kubelet}/kubelet-client-current.pem`));
    };

    before(async () => {
        authority = await createAuthority("kubernetes", 3650);
    });
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-certificates-"));
        for (const folder of ["run", "var/lib/kubelet/pki", pki]) mkdirSync(file(folder), { recursive: true });
        write("clock", "");
        write("systemctl", "");
        write(`${pki}/ca.crt`, authority.certificate);
        write(`${pki}/ca.key`, authority.key);
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    function run(script: string, env: Record<string, string> = {}) {
        const text = `${world}\n${script}`.replace(/(?<![\w.}])\/(etc|var\/lib|run)\b/g, `${root}/$1`);
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], {
            input: text,
            encoding: "utf8",
            env: {
                ...process.env,
                ROOT: root,
                KUBELET: ":",
                RENEW_BEFORE: String(90 * 86_400),
                ROLE: "worker",
                ...env,
            },
        });
        return { code: status, stdout: stdout.replaceAll(root, ""), stderr };
    }
    const restarts = () => readFileSync(file("systemctl"), "utf8").match(/restart kubelet/g)?.length ?? 0;

    it("is due for what ends within the threshold, whatever the file, and for nothing else", async () => {
        await placeClient(365);
        await place("apiserver", 41);
        await place("etcd/peer", 365);
        await place("of-a-user", 3);
        const { certificate } = await issue(10);
        const data = Buffer.from(certificate).toString("base64");
        write("etc/kubernetes/admin.conf", `users:\n- user:\n    client-certificate-data: ${data}\n`);
        write("etc/kubernetes/scheduler.conf", "users:\n- user:\n    client-certificate: /a/file\n");
        const { stdout, stderr } = run(due, { ROLE: "controlPlane" });
        deepStrictEqual(
            stdout
                .trim()
                .split("\n")
                .map(line => line.replace(/ ends on .*/, "")),
            ["/etc/kubernetes/pki/apiserver.crt", "/etc/kubernetes/admin.conf"],
        );
        strictEqual(stderr, "");
        strictEqual(run(due, { ROLE: "controlPlane", RENEW_BEFORE: String(9 * 86_400) }).stdout, "");
        strictEqual(run(due).stdout, "");
    });

    it("is due for a certificate that was written without its key: the machine lost power between them", async () => {
        await placeClient(365);
        await place("apiserver", 365);
        write(`${pki}/apiserver.key`, (await issue(365)).key);
        match(
            run(due, { ROLE: "controlPlane" }).stdout,
            /^\/etc\/kubernetes\/pki\/apiserver\.crt does not belong to its key\n$/,
        );
    });

    it("is due for kubelet's client certificate only when kubelet has not renewed it in time", async () => {
        const { certificate, key } = await issue(80);
        write(`${kubelet}/kubelet-client-current.pem`, certificate + key);
        strictEqual(run(due).stdout, "");
        rmSync(file(`${kubelet}/kubelet-client-current.pem`));
        await placeClient(-0.01);
        match(run(due).stdout, /kubelet-client-current\.pem ends on .*: kubelet has not renewed it/);
    });

    it("lets kubelet make a serving certificate that ends, and starts kubelet once for that", async () => {
        await placeClient(365);
        const soon = await issue(20);
        write(`${kubelet}/kubelet.crt`, soon.certificate);
        write(`${kubelet}/kubelet.key`, soon.key);
        write("fresh", (await issue(365)).certificate);
        const { code, stdout } = run(onWorker, {
            KUBELET: `cp "$ROOT/fresh" "$ROOT/${kubelet}/kubelet.crt"`,
            SECRETS: root,
        });
        strictEqual(code, 0, stdout);
        strictEqual(restarts(), 1);
        strictEqual(readFileSync(file(`${kubelet}/kubelet.crt`), "utf8"), readFileSync(file("fresh"), "utf8"));
        strictEqual(existsSync(file(`${kubelet}/kubelet.key`)), false);
    });

    it("of a worker whose client certificate has ended is asked for as at its join, and the token does not stay", async () => {
        await placeClient(-0.01);
        write("control-plane", "abcdef.0123456789abcdef\n");
        write("etc/kubernetes/kubelet.conf", "clusters:\n- cluster:\n    server: https://10.99.0.100:6443\n");
        const fresh = await issue(365);
        write("fresh", fresh.certificate + fresh.key);
        const { code, stderr } = run(onWorker, {
            SECRETS: root,
            KUBELET: `cp "$ROOT/etc/kubernetes/bootstrap-kubelet.conf" "$ROOT/asked"; cp "$ROOT/fresh" "$ROOT/${kubelet}/kubelet-client-current.pem"`,
        });
        strictEqual(code, 0, stderr);
        const asked = readFileSync(file("asked"), "utf8");
        match(asked, /server: https:\/\/10\.99\.0\.100:6443/);
        match(asked, /token: abcdef\.0123456789abcdef/);
        ok(asked.includes(Buffer.from(authority.certificate).toString("base64")));
        strictEqual(existsSync(file("etc/kubernetes/bootstrap-kubelet.conf")), false);
    });

    it("of a worker fails with kubelet's words if it gets none; the next run asks again, and the token is gone", async () => {
        await placeClient(-0.01);
        write("control-plane", "abcdef.0123456789abcdef\n");
        write("etc/kubernetes/kubelet.conf", "    server: https://10.99.0.100:6443\n");
        const { code, stderr } = run(onWorker, { SECRETS: root });
        strictEqual(code, 1);
        match(stderr, /did not get a client certificate:\n.*\nkubelet says why/);
        strictEqual(existsSync(file("etc/kubernetes/bootstrap-kubelet.conf")), false);
        match(run(due).stdout, /kubelet has not renewed it/);
    });

    it("of a master whose client certificate has ended is signed there, without any API server", async () => {
        await placeClient(-0.01);
        write("etc/kubernetes/kubelet.conf", "    client-certificate-data: QQ==\n    client-key-data: QQ==\n");
        const { code, stderr } = run(onMaster, { ROLE: "controlPlane" });
        strictEqual(code, 0, stderr);
        const text = readFileSync(file(`${kubelet}/kubelet-client-current.pem`), "utf8");
        const made = new X509Certificate(text);
        strictEqual(made.subject, "O=system:nodes\nCN=system:node:w1");
        ok(made.verify(new X509Certificate(authority.certificate).publicKey));
        ok(Date.parse(made.validTo) > Date.now() + 300 * day);
        match(text, /PRIVATE KEY/);
        const path = file(`${kubelet}/kubelet-client-current.pem`);
        strictEqual(
            readFileSync(file("etc/kubernetes/kubelet.conf"), "utf8"),
            `    client-certificate: ${path}\n    client-key: ${path}\n`,
        );
        strictEqual(restarts(), 1);
        strictEqual(run(due).stdout, "");
    });

    it("needs openssl: without it new files hold, and for older ones it is said what is missing, before anything is changed", async () => {
        const without = 'command() { case "$*" in "-v openssl") return 1 ;; esac; }\n';
        await place("apiserver", 20);
        const holds = kubeadmScript("member/certificates-hold.sh");
        strictEqual(run(`${without}${holds}`, { ROLE: "controlPlane" }).code, 0);
        const old = new Date(Date.now() - 300 * day);
        utimesSync(file(`${pki}/apiserver.crt`), old, old);
        strictEqual(run(`${without}${holds}`, { ROLE: "controlPlane" }).code, 1);
        const { code, stderr } = run(`${without}${onWorker}`, { SECRETS: root });
        strictEqual(code, 1);
        match(stderr, /openssl is missing on this machine: install it/);
        strictEqual(restarts(), 0);
    });

    it("is due for a static pod that started before its certificates were written", async () => {
        await placeClient(365);
        await place("etcd/server", 365);
        const old = new Date(Date.now() - day);
        utimesSync(file(`${pki}/etcd/server.crt`), old, old);
        // The process of this test stands in for etcd.
        const as = (script: string) =>
            `process_of() { [ "$1" != etcd ] || echo ${process.pid}; }\nserved_at() { :; }\n${script}`;
        const text = due.replace(/\ndue_certificates\n$/, `\n${as("due_certificates")}\n`);
        strictEqual(run(text, { ROLE: "controlPlane" }).stdout, "");
        const later = new Date(Date.now() + 60_000);
        utimesSync(file(`${pki}/etcd/server.crt`), later, later);
        strictEqual(run(text, { ROLE: "controlPlane" }).stdout, "etcd runs with a former certificate\n");
    });
});
