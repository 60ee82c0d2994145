import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyControlPlaneChanges } from "../../../../../provider/member/join/apply-changes";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { type Answers, runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

/** With the flag by which its process is told from others. */
const withFlag = (flag: string) => `command: [etcd, ${flag}]\n    - --advertise-client-urls=https://10.0.0.11:2379\n`;
const former = withFlag("--quota-backend-bytes=1");
const ofManager = "    - --kubeconfig=/of-manager\n";
const marks = ["cluster", "etcd"] as const;

/**
 * kubeadm writes etcd's manifest with the flag in ETCD_FLAG, the kubelet starts what the manifest says at once, and the API server answers
 * unless etcd has the flag --bad. With another flag in SERVER_FLAG the API server goes on for some seconds before it restarts. Each
 * request for the time advances it.
 */
const world = `
    kubeadm() {
        kubectl - kubeadm "$@"
        case "$*" in
            "init phase etcd local "*)
                printf 'command: [etcd, %s]\\n    - --advertise-client-urls=https://10.0.0.11:2379\\n' "$ETCD_FLAG" > "$ROOT/etc/kubernetes/manifests/etcd.yaml"
                [ "$KILLED" != yes ] || kill -KILL $$
                ;;
            "init phase control-plane all "*)
                [ -z "$SERVER_FLAG" ] || echo "$SERVER_FLAG" >> "$ROOT/etc/kubernetes/manifests/kube-apiserver.yaml"
                [ -z "$MANAGER_FLAG" ] || echo "$MANAGER_FLAG" >> "$ROOT/etc/kubernetes/manifests/kube-controller-manager.yaml"
                : > "$ROOT/slept"
                [ "$KILLED" != server ] || kill -KILL $$
                ;;
            "init phase certs apiserver "*) for end in key crt; do echo new > "$(dirname "$6")/apiserver.$end"; done ;;
        esac
    }
    pgrep() {
        case $2 in
            *etcd*) started=$(cksum < "$ROOT/etc/kubernetes/manifests/etcd.yaml" | cut -d ' ' -f 1) ;;
            *controller-manager*) ! grep -q -e --wrong "$ROOT/etc/kubernetes/manifests/kube-controller-manager.yaml" || return 0; started=manager ;;
            *) [ "$(cat "$ROOT/slept" 2>/dev/null | wc -l)" -ge 4 ] && started=new || started=former ;;
        esac
        mkdir -p "$ROOT/proc/$started"
        printf '%s\\0' --advertise-client-urls=https://10.0.0.11:2379 --advertise-address=10.0.0.11 --kubeconfig=/of-manager > "$ROOT/proc/$started/cmdline"
        echo "$started"
    }
    curl() { pgrep -f kube-apiserver >> "$ROOT/asked"; ! cat "$ROOT"/etc/kubernetes/manifests/* | grep -q -e --bad || return 7; cmp -s "$ROOT"/etc/kubernetes/pki/apiserver.key "$ROOT"/etc/kubernetes/pki/apiserver.crt || return 7; }
    cat() {
        case "$KILLED \${1-}" in "certificate "*/apiserver.crt) kill -KILL $$ ;; esac
        command cat "$@"
    }
    hostname() { echo m1; }
    systemctl() { echo "$*" >> "$ROOT/services"; }
    sleep() { echo "$1" >> "$ROOT/slept"; }
    date() { echo x >> "$ROOT/clock"; echo $(($(wc -l < "$ROOT/clock") * 30)); }
`;

describe("flags of etcd and the API server", () => {
    let root: string;
    const file = (path: string) => join(root, path);
    const read = (path: string) => readFileSync(file(path), "utf8");
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const manifest = "etc/kubernetes/manifests/etcd.yaml";
    const mark = (name: string) => `var/lib/pulumi-nfv/applied/${name}`;
    const applied = () =>
        marks.filter(name => {
            const text = read(mark(name));
            return text !== "former\n";
        });

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-etcd-flags-"));
        write(manifest, former);
        write(
            "etc/kubernetes/manifests/kube-apiserver.yaml",
            "with a certificate of the user's own\n    - --advertise-address=10.0.0.11\n",
        );
        for (const name of ["controller-manager", "scheduler"])
            write(`etc/kubernetes/manifests/kube-${name}.yaml`, ofManager);
        write("etc/kubernetes/pki/ca.crt", "");
        for (const end of ["key", "crt"]) write(`etc/kubernetes/pki/apiserver.${end}`, "former\n");
        write("etc/kubernetes/pulumi-nfv/cluster.yaml", "kind: ClusterConfiguration\n");
        for (const name of marks) write(mark(name), "former\n");
        mkdirSync(file("run"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** One `up` of a control-plane node whose etcd gets this flag. */
    async function apply(flag: string, answers: Answers = [], serverFlag = "", killed = "", managerFlag = "") {
        const [name, value] = flag.slice(2).split("=");
        const step = applyControlPlaneChanges(await nodeSpec({ extraArgs: { etcd: { [name!]: value ?? "" } } }))!;
        const script = (step.run as string).replace(/(?<![\w.}])\/(etc|var\/lib|run|proc)\b/g, `${root}/$1`);
        const env = {
            ...step.env,
            ETCD_FLAG: flag,
            SERVER_FLAG: serverFlag,
            MANAGER_FLAG: managerFlag,
            KILLED: killed,
            ROOT: root,
        };
        const ran = runWithKubectl(world + script, env, answers);
        const phases = ran.calls.flatMap(call => /^- kubeadm init phase (\S+ \S+)/.exec(call)?.[1] ?? []);
        return { ...ran, phases };
    }

    it("with which it comes back are kept, and noted so that the next `up` does not start it again", async () => {
        const { code, stderr, phases } = await apply("--snapshot-count=5");
        assert.equal(code, 0, stderr);
        assert.equal(read(manifest), withFlag("--snapshot-count=5"));
        assert.deepEqual(applied(), ["cluster", "etcd"]);
        assert.ok(phases.includes("control-plane all"));
        const again = await apply("--snapshot-count=5");
        assert.equal(again.code, 0, again.stderr);
        assert.ok(!again.phases.includes("etcd local"), "its mark is there");
    });

    it("with which it does not come back are taken back: its manifest is the former one, and nothing else is changed", async () => {
        const { code, stderr, phases } = await apply("--bad");
        assert.equal(code, 1);
        assert.match(stderr, /the API server of this machine is not ready/);
        assert.match(stderr, /etcd does not work with its new settings .*: the former ones are back/);
        assert.equal(read(manifest), former);
        assert.deepEqual(phases.slice(-1), ["etcd local"]);
        assert.equal(read(mark("etcd")), "former\n", "the next `up` tries again what is said then");
        assert.throws(() => read(mark("cluster")), { code: "ENOENT" });
    });

    it("can be corrected after that, and are applied by the next `up`", async () => {
        await apply("--bad");
        const { code, stderr } = await apply("--snapshot-count=5");
        assert.equal(code, 0, stderr);
        assert.equal(read(manifest), withFlag("--snapshot-count=5"));
        assert.deepEqual(applied(), ["cluster", "etcd"]);
    });

    it("with which the machine lost power before they were taken back are taken back by the next run, before it waits", async () => {
        await apply("--bad", [], "", "yes");
        assert.equal(read(manifest), withFlag("--bad"));
        for (const flag of ["--snapshot-count=5", "--quota-backend-bytes=1"]) {
            const { code, stdout, stderr } = await apply(flag);
            assert.equal(code, 0, stderr);
            assert.match(stdout, /interrupted: its former manifests are restored/);
            assert.equal(read(manifest), withFlag(flag));
            assert.equal(read("services"), "restart kubelet.service\n");
            assert.deepEqual(applied(), ["cluster", "etcd"]);
            assert.ok(!existsSync(file(mark("former-manifests"))));
            write(manifest, former);
            rmSync(file("services"));
            rmSync(file(mark("cluster")));
            rmSync(file(mark("etcd")));
            await apply("--bad", [], "", "yes");
        }
    });

    it("with which the machine lost power are proven by the next run, though kubeadm changes nothing then", async () => {
        await apply("--bad", [], "", "yes");
        for (let i = 0; i < 2; i++) {
            const { code, stderr } = await apply("--bad");
            assert.equal(code, 1);
            assert.match(stderr, /etcd does not work with its new settings .*: the former ones are back/);
            assert.equal(read(manifest), former);
        }
    });

    it("of an API server with which the machine lost power are taken back, also while nodes move to another endpoint", async () => {
        const server = "etc/kubernetes/manifests/kube-apiserver.yaml";
        const works = read(server);
        await apply("--quota-backend-bytes=1", [], "--bad", "server");
        assert.notEqual(read(server), works);
        write("var/lib/pulumi-nfv/former-endpoints", '{"host":"10.0.0.101"}\n');
        const place = [{ when: /kubeadm-config/, stdout: "controlPlaneEndpoint: 10.0.0.101:8443\n" }];
        const { code, stderr } = await apply("--quota-backend-bytes=1", place);
        assert.equal(code, 0, stderr);
        assert.equal(read(server), works);
    });

    it("and names, with which the machine lost power between key and certificate, are applied by the next run", async () => {
        await apply("--snapshot-count=5", [], "", "certificate");
        const pair = () => ["key", "crt"].map(end => read(`etc/kubernetes/pki/apiserver.${end}`));
        assert.deepEqual(pair(), ["new\n", ""]);
        const { code, stderr } = await apply("--snapshot-count=5");
        assert.equal(code, 0, stderr);
        assert.deepEqual(pair(), ["new\n", "new\n"]);
        assert.ok(!existsSync(file(mark("certificate"))));
    });

    it("of the API server start it anew: the new one is waited for, and the load balancers, before the next master follows", async () => {
        const { code, stderr } = await apply("--snapshot-count=5", [], "--request-timeout=70s");
        assert.equal(code, 0, stderr);
        assert.equal(read("asked").trim().split("\n").at(-1), "new", "who asks too early hears the former one");
        assert.equal(read("slept").trim().split("\n").at(-1), "5");
    });

    it("write the API server's manifest again where somebody has moved it aside", async () => {
        rmSync(file("etc/kubernetes/manifests/kube-apiserver.yaml"));
        const { code, stderr } = await apply("--quota-backend-bytes=1", [], "written");
        assert.equal(code, 0, stderr);
        assert.equal(read("etc/kubernetes/manifests/kube-apiserver.yaml"), "written\n");
    });

    it("wait until all members are healthy: etcd is not started again before", async () => {
        const unhealthy = [{ when: /endpoint health --cluster/, code: 1 }];
        const { code, stderr, phases } = await apply("--snapshot-count=5", unhealthy);
        assert.equal(code, exitCodes.QUORUM_AT_RISK);
        assert.match(stderr, /etcd is not healthy on all masters/);
        assert.equal(read(manifest), former);
        assert.ok(!phases.includes("etcd local"));
    });

    it("of a controller manager that a killed run left broken are taken back, though the API server is ready, before kube-proxy needs it", async () => {
        const manager = "etc/kubernetes/manifests/kube-controller-manager.yaml";
        await apply("--quota-backend-bytes=1", [], "", "server", "--wrong");
        assert.equal(read(manager), `${ofManager}--wrong\n`);
        const { code, stdout, stderr, phases } = await apply("--quota-backend-bytes=1");
        assert.equal(code, 0, stderr);
        assert.match(stdout, /kube-controller-manager does not work .*: its former manifest is restored/);
        assert.equal(read(manager), ofManager);
        assert.ok(phases.indexOf("addon kube-proxy") > phases.indexOf("control-plane all"));
        assert.ok(!existsSync(file(mark("former-manifests"))));
    });

    it("of a controller manager that works with them stay where a run was killed before it noted that", async () => {
        await apply("--quota-backend-bytes=1", [], "", "server", "--v=2");
        const { code, stdout, stderr } = await apply("--quota-backend-bytes=1");
        assert.equal(code, 0, stderr);
        assert.doesNotMatch(stdout, /restored/);
    });

    it("that turn audit on make its policy the one to go back to, and a later policy does not go back to an outdated one", async () => {
        const folder = "etc/kubernetes/pulumi-nfv/kube-apiserver";
        const proven = `${folder}/.audit-policy.proven`;
        write(`${folder}/audit-policy.yaml`, "two");
        write(proven, "one");
        const audited = `    - --audit-policy-file=${file(folder)}/audit-policy.yaml`;
        strictly(await apply("--quota-backend-bytes=1", [], `${audited} --bad`), 1);
        assert.equal(read(proven), "one", "the API server does not start with it");
        strictly(await apply("--quota-backend-bytes=1", [], audited), 0);
        assert.equal(read(proven), "two");
        write("etc/kubernetes/manifests/kube-apiserver.yaml", "without audit\n");
        strictly(await apply("--quota-backend-bytes=1"), 0);
        assert.ok(!existsSync(file(proven)));
    });
    const strictly = ({ code, stderr }: { code: number; stderr: string }, expected: number) =>
        assert.equal(code, expected, stderr);
});
