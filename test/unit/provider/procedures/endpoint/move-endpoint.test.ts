import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse } from "yaml";
import { formersText } from "../../../../../provider/endpoint/side-by-side";
import { takeAwayScript } from "../../../../../provider/endpoint/take-away";
import { kubeadmScript } from "../../../../../provider/kubeadm/kubeadm-script";
import { applyControlPlaneChanges } from "../../../../../provider/member/join/apply-changes";
import { initConfig } from "../../../../../provider/member/join/kubeadm-config";
import {
    endpointReachedScript,
    lookScript,
    moveNodeScript,
    parseLook,
    proveScript,
    tellClusterScript,
} from "../../../../../provider/procedures/endpoint/move-endpoint";
import { nodeSpec, vipEndpoint } from "../../sample-specs";

const configInUse = kubeadmScript("member/lib/config-in-use.sh");
const renewCertificate = kubeadmScript("member/join/lib/renew-certificate.sh");

const url = "https://10.0.0.100:16443";
const former = { host: "10.0.0.101", port: 8443 };
const env = {
    URL: url,
    HOST: "10.0.0.100",
    PORT: "16443",
    NAME: "w1",
    ADDRESS: "10.0.0.21",
    VIP: "yes",
    LOAD_BALANCER: "yes",
};

/** Programs of a node: each prints its call on standard error, and the kubelet renews its lease after a start. */
const programs = `
    systemctl() { echo "systemctl $*" >> "$ROOT/calls"; case $1 in start) date -u -d '+5 seconds' +%Y-%m-%dT%H:%M:%S.000000Z > "$ROOT/lease" ;; esac; }
    pgrep() { case "$2" in *kube-controller-manager*) echo 21; echo 22 ;; *kube-scheduler*) echo 31; echo 32 ;; esac; }
    kill() { echo "kill $*" >> "$ROOT/calls"; }
    haproxy() { echo "haproxy $*" >> "$ROOT/calls"; }
    sleep() { :; }
    kubeadm() { echo "kubeadm $*" >> "$ROOT/calls"; case "$*" in *certs*) for end in key crt; do echo "new $end" > "$(sed -n 's/^certificatesDir: //p' "$6")/apiserver.$end"; done ;; esac; }
    kubectl() {
        case "$*" in
            *lease*) cat "$ROOT/lease" 2>/dev/null || true ;;
            *'get node'*) echo True ;;
            *kubeadm-config*) echo 'controlPlaneEndpoint: 10.0.0.101:8443' ;;
            *tls-server-name*) echo "asked $*" >> "$ROOT/calls" ;;
        esac
    }
`;

/** The controllers of this node, each after one of somebody else's. */
const controllers = { "controller-manager": 22, scheduler: 32 };
/** The command that signals a controller. */
const killed = (name: keyof typeof controllers) => `kill -TERM ${controllers[name]}`;

describe("scripts of the move to another endpoint", () => {
    let root: string;
    const at = (file: string) => path.join(root, file);
    const read = (file: string) => fs.readFileSync(at(file), "utf8");
    const write = (file: string, text: string, mode = 0o600) => {
        fs.mkdirSync(path.dirname(at(file)), { recursive: true });
        fs.writeFileSync(at(file), text, { mode });
    };
    const calls = () => (fs.existsSync(at("calls")) ? read("calls").trim().split("\n") : []);
    /** Runs on a node whose /etc and other folders are in one folder. */
    const run = (script: string, more: Record<string, string> = {}) => {
        const moved = script.replace(/(?<![\w.}])\/(etc|var\/lib|run|proc)\b/g, `${root}/$1`);
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], {
            input: `${programs}\n${moved}`,
            env: { PATH: process.env["PATH"], ROOT: root, ...env, ...more },
            encoding: "utf8",
        });
        return { code: status, stdout, stderr };
    };
    const done = (script: string, more?: Record<string, string>) => {
        const { code, stdout, stderr } = run(script, more);
        assert.equal(code, 0, stderr);
        return stdout;
    };
    const kubeconfig = (server: string) => `clusters:\n- cluster:\n    server: ${server}\n  name: core\n`;
    const noted = "var/lib/pulumi-nfv/former-endpoints";

    beforeEach(() => {
        root = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-move-"));
        fs.mkdirSync(at("run"), { recursive: true });
        fs.mkdirSync(at("etc/kubernetes/pki"), { recursive: true });
        write(noted, `${formersText([former])}\n`);
        for (const [name, pid] of Object.entries(controllers)) {
            // the manifest has the path of a real node, which the fake one has in its folder
            const flag = `--kubeconfig=/etc/kubernetes/${name}.conf`;
            write(`etc/kubernetes/manifests/kube-${name}.yaml`, `    - kube-${name}\n    - ${flag}\n`);
            write(`proc/${pid}/cmdline`, ["kube-" + name, flag, ""].join("\0"));
            write(`proc/${pid - 1}/cmdline`, ["kube-" + name, "--kubeconfig=/etc/second.conf", ""].join("\0"));
        }
    });
    afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

    it("are sound shell", () => {
        for (const script of [
            lookScript,
            proveScript,
            tellClusterScript,
            moveNodeScript,
            endpointReachedScript,
            takeAwayScript,
        ]) {
            const { status, stderr } = spawnSync("sh", ["-n"], { input: script, encoding: "utf8" });
            assert.equal(status, 0, stderr);
            assert.doesNotMatch(script, /undefined|\[object/);
        }
    });

    it("see what a node talks to, and what it has noted", () => {
        write("etc/kubernetes/kubelet.conf", kubeconfig("https://10.0.0.101:8443"));
        const seen = parseLook(done(lookScript));
        assert.deepEqual(seen, { servers: ["https://10.0.0.101:8443"], formers: [JSON.stringify(former)] });
    });

    it("move a worker: its file keeps its mode, kubelet starts again and is waited for, once", () => {
        write("etc/kubernetes/kubelet.conf", kubeconfig("https://10.0.0.101:8443"), 0o600);
        done(moveNodeScript);
        assert.match(read("etc/kubernetes/kubelet.conf"), /server: https:\/\/10\.0\.0\.100:16443\n/);
        assert.equal(fs.statSync(at("etc/kubernetes/kubelet.conf")).mode & 0o777, 0o600);
        const once = ["systemctl stop kubelet.service", "systemctl start kubelet.service"];
        assert.deepEqual(calls(), once);
        done(moveNodeScript);
        assert.deepEqual(calls(), once);
    });

    it("start kubelet also where a run was killed between the file and the start", () => {
        write("etc/kubernetes/kubelet.conf", kubeconfig(url));
        done(moveNodeScript);
        assert.deepEqual(calls(), ["systemctl stop kubelet.service", "systemctl start kubelet.service"]);
    });

    it("leave to a master's kubelet its own API server, and start controllers again that talked to the endpoint", () => {
        write("etc/kubernetes/kubelet.conf", kubeconfig("https://10.0.0.21:6443"));
        write("etc/kubernetes/admin.conf", kubeconfig("https://10.0.0.101:8443"));
        write("etc/kubernetes/scheduler.conf", kubeconfig("https://10.0.0.101:8443"));
        write("etc/kubernetes/controller-manager.conf", kubeconfig("https://10.0.0.21:6443"));
        done(moveNodeScript);
        assert.match(read("etc/kubernetes/kubelet.conf"), /10\.0\.0\.21:6443/);
        assert.match(read("etc/kubernetes/admin.conf"), /10\.0\.0\.100:16443/);
        assert.deepEqual(calls(), [killed("scheduler")]);
    });

    it("start kubelet again at the former endpoint, where it did not come back at the next one", () => {
        const [first, second] = [url, "https://10.0.0.101:8443"];
        write("etc/kubernetes/kubelet.conf", kubeconfig(second));
        done(moveNodeScript, { URL: first });
        const deaf = 'kubectl() { case "$*" in *readyz*) ;; *) return 1 ;; esac; }\n';
        assert.equal(run(deaf + moveNodeScript, { URL: second }).code, 1);
        fs.rmSync(at("calls"));
        done(moveNodeScript, { URL: first });
        assert.deepEqual(calls(), ["systemctl stop kubelet.service", "systemctl start kubelet.service"]);
    });

    it("start kubelet again at the former endpoint, where it may have read the file with the next one", () => {
        const [first, second] = [url, "https://10.0.0.101:8443"];
        write("etc/kubernetes/kubelet.conf", kubeconfig(second));
        done(moveNodeScript, { URL: first });
        // Killed here. A reboot, or another step, starts the kubelet with this file.
        const dead = 'systemctl() { [ "$1" != stop ] || exit 137; }\n';
        assert.equal(run(dead + moveNodeScript, { URL: second }).code, 137);
        done(moveNodeScript, { URL: first });
        assert.equal(calls().filter(call => call === "systemctl start kubelet.service").length, 2);
    });

    it("start controllers again also where a run was killed between the file and the signal", () => {
        write("etc/kubernetes/kubelet.conf", kubeconfig("https://10.0.0.21:6443"));
        write("etc/kubernetes/controller-manager.conf", kubeconfig("https://10.0.0.101:8443"));
        assert.equal(run(`kill() { exit 137; }\n${moveNodeScript}`).code, 137);
        assert.deepEqual(calls(), []);
        done(moveNodeScript);
        assert.deepEqual(calls(), [killed("controller-manager")]);
        done(moveNodeScript);
        assert.deepEqual(calls(), [killed("controller-manager")], "once");
    });

    it("move nothing where the API does not answer at the new endpoint", () => {
        write("etc/kubernetes/kubelet.conf", kubeconfig("https://10.0.0.101:8443"));
        const deaf = "kubectl() { echo 'x509: certificate is valid for others' >&2; return 1; }\n";
        const { code, stderr } = run(deaf + moveNodeScript);
        assert.equal(code, 1);
        assert.match(stderr, /does not answer at https:\/\/10\.0\.0\.100:16443: x509/);
        assert.match(read("etc/kubernetes/kubelet.conf"), /10\.0\.0\.101:8443/);
    });

    it("keep what the cluster says while nodes move, and put both names into certificates", async () => {
        const spec = await nodeSpec({ endpoint: vipEndpoint });
        write("etc/kubernetes/pulumi-nfv/cluster.yaml", initConfig(spec));
        const copy = done(`${configInUse}\nconfig_in_use`).trim();
        const before = initConfig(spec)
            .split("---\n")
            .map(text => parse(text));
        const [, cluster, ...others] = fs
            .readFileSync(copy, "utf8")
            .split("---\n")
            .map(text => parse(text));
        assert.equal(cluster.controlPlaneEndpoint, "10.0.0.101:8443");
        const { certSANs } = before[1].apiServer;
        assert.deepEqual([...cluster.apiServer.certSANs].sort(), [...certSANs, "10.0.0.101"].sort());
        assert.deepEqual(others, before.slice(2));
        fs.rmSync(at(noted));
        assert.equal(done(`${configInUse}\nconfig_in_use`).trim(), at("etc/kubernetes/pulumi-nfv/cluster.yaml"));
    });

    it("write a new certificate into the files that the API server watches, and wait until each name is served", async () => {
        write("etc/kubernetes/pulumi-nfv/cluster.yaml", initConfig(await nodeSpec()));
        write(
            "etc/kubernetes/manifests/kube-apiserver.yaml",
            `- --tls-cert-file=${at("etc/kubernetes/pki/apiserver.crt")}\n`,
        );
        for (const end of ["crt", "key"]) write(`etc/kubernetes/pki/apiserver.${end}`, "old\n");
        const inode = () => fs.statSync(at("etc/kubernetes/pki/apiserver.crt")).ino;
        const before = inode();
        const script = `${renewCertificate}\nrenew_api_server_certificate /etc/kubernetes/pulumi-nfv/cluster.yaml`;
        done(script, { NAMES: "10.0.0.100\napi.example" });
        assert.equal(inode(), before);
        assert.equal(read("etc/kubernetes/pki/apiserver.crt"), "new crt\n");
        assert.equal(read("etc/kubernetes/pki/apiserver.key"), "new key\n");
        const asked = calls().flatMap(call => /tls-server-name (\S+)/.exec(call)?.[1] ?? []);
        assert.deepEqual(asked, ["10.0.0.100", "api.example"]);
        assert.deepEqual(fs.readdirSync(at("run")), []);
    });

    it("ask for all names of the certificate", async () => {
        const step = applyControlPlaneChanges(await nodeSpec({ certificateSans: ["*.example.org"] }))!;
        assert.deepEqual(step.env!["NAMES"]!.split("\n"), ["10.0.0.100", "localhost", "127.0.0.1", "any.example.org"]);
    });

    it("take the former endpoint away: the address first, what answers at it next, the note last", () => {
        const block = "# pulumi-nfv former begin\nformer\n# pulumi-nfv former end\n";
        const files = [
            "etc/hosts",
            "etc/keepalived/keepalived.conf",
            "etc/haproxy/haproxy.cfg",
            "etc/pulumi-nfv/virtual-address.nft",
        ];
        const here = {
            "etc/keepalived/keepalived.conf": "        10.0.0.100/24\n",
            "etc/haproxy/haproxy.cfg": "    bind *:16443\n",
        };
        const textOf = (file: string) => (here as Record<string, string>)[file] ?? "here\n";
        for (const file of files) write(file, `${textOf(file)}${block}there\n`);
        done(takeAwayScript);
        for (const file of files) assert.equal(read(file), `${textOf(file)}there\n`, file);
        assert.ok(!fs.existsSync(at(noted)));
        const order = calls().filter(call => /reload/.test(call));
        assert.match(order.join(), /keepalived.*haproxy.*virtual-address/);
        fs.rmSync(at("calls"));
        done(takeAwayScript);
        assert.deepEqual(calls(), [], "where nothing is noted nothing is done");
    });

    it("leave files whole and the note where it is, where the disk is full", () => {
        const block = "# pulumi-nfv former begin\nformer\n# pulumi-nfv former end\n";
        const files = {
            "etc/keepalived/keepalived.conf": `        10.0.0.100/24\n${block}`,
            "etc/haproxy/haproxy.cfg": `    bind *:16443\n${block}`,
            "etc/hosts": `127.0.0.1 localhost\n${block}`,
        };
        for (const [file, text] of Object.entries(files)) write(file, text);
        const full = "awk() { echo 'No space left on device' >&2; return 1; }\n";
        for (const loadBalancer of ["yes", ""]) {
            const { code, stderr } = run(full + takeAwayScript, { LOAD_BALANCER: loadBalancer });
            assert.notEqual(code, 0);
            assert.match(stderr, /No space left/);
            for (const [file, text] of Object.entries(files)) assert.equal(read(file), text, file);
            assert.ok(fs.existsSync(at(noted)));
        }
        done(takeAwayScript);
        assert.equal(read("etc/hosts"), "127.0.0.1 localhost\n");
        assert.deepEqual(fs.readdirSync(at("etc/keepalived")), ["keepalived.conf"]);
        assert.ok(!fs.existsSync(at("etc/hosts.nfv-new")));
    });

    it("take nothing away from a master that does not serve the wanted endpoint", () => {
        const block = "# pulumi-nfv former begin\n        10.0.0.100/24\n    bind *:16443\n# pulumi-nfv former end\n";
        for (const file of ["etc/keepalived/keepalived.conf", "etc/haproxy/haproxy.cfg"])
            write(file, `other\n${block}`);
        const { code, stderr } = run(takeAwayScript);
        assert.equal(code, 1);
        assert.match(stderr, /does not serve 10\.0\.0\.100:16443/);
        assert.ok(read("etc/haproxy/haproxy.cfg").includes(block) && fs.existsSync(at(noted)));
    });

    it("stop a load balancer that is ours, and none that is somebody else's", () => {
        done(takeAwayScript, { VIP: "" });
        assert.deepEqual(calls(), []);
        write(noted, `${JSON.stringify({ ...former, vip: vipEndpoint.vip })}\n`);
        done(takeAwayScript, { VIP: "" });
        assert.match(calls().join(), /disable --now keepalived\.service.*disable --now haproxy\.service/);
    });
});
