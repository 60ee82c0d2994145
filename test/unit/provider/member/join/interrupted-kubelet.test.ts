import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NodeSpec } from "../../../../../provider/common/model";
import { appliedMarks } from "../../../../../provider/member/join/kubeadm-files";
import { nodeSteps } from "../../../../../provider/member/node-steps";
import type { StepBody } from "../../../../../provider/steps/types";
import { type Answers, runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

const settings = "var/lib/kubelet/config.yaml";
const flags = "var/lib/kubelet/kubeadm-flags.env";
const applied = "var/lib/pulumi-nfv/applied";
const former = `${applied}/kubelet-former`;
const policy = "etc/kubernetes/pulumi-nfv/kube-apiserver/audit-policy.yaml";

/**
 * The only control-plane node: its API server runs until the power is cut, then 20 s after kubelet works again. With the flag --bad kubelet ends LIVES
 * seconds after its start, and systemd starts it again 10 s later. With --deaf it goes on, but starts no pod. Time passes by sleeping. With KILLED the run is killed at kubelet's
 * restart. The scripts ask hundreds of times, so the shell answers without starting programs.
 */
const world = `
    first_line() { IFS= read -r _line < "$ROOT/$1"; echo "$_line"; }
    clock() { first_line clock; }
    started() { first_line started; }
    age() { echo $(($(clock) - $(started))); }
    runs_with() { case $(first_line running) in *"$1"*) ;; *) return 1 ;; esac; }
    refuses() { runs_with --bad; }
    starts_pods() { ! refuses && ! runs_with --deaf; }
    served() {
        [ -e "$ROOT/power-cut" ] || return 0
        starts_pods && [ $(($(clock) - $(first_line repaired))) -ge 20 ]
    }
    kubelet() { echo "Kubernetes v1.34.4"; }
    kubeadm() {
        case "$*" in
            "init phase control-plane"*) ;;
            *) served || { echo "connection refused" >&2; return 1; } ;;
        esac
        case "$*" in
            "upgrade node phase kubelet-config"*) echo "maxPods: $PODS" > "$ROOT/${settings}" ;;
            "init phase certs apiserver "*) for end in key crt; do echo new > "$(dirname "$6")/apiserver.$end"; done ;;
        esac
    }
    systemctl() {
        case "$*" in
            restart*)
                [ -z "$KILLED" ] || kill -KILL $$
                echo x >> "$ROOT/restarts"
                clock > "$ROOT/started"
                starts_pods || clock > "$ROOT/repaired"
                cat "$ROOT/${flags}" > "$ROOT/running"
                ;;
            *is-active*) ! refuses || [ $(($(age) % (LIVES + 10))) -lt "$LIVES" ] ;;
            show*) refuses && echo "MainPID=$(started)$(($(age) / (LIVES + 10)))" || echo "MainPID=$(started)" ;;
        esac
    }
    kubectl() { served && command kubectl "$@"; }
    curl() { served || return 7; }
    pgrep() { [ -e "$ROOT/terminated" ] || echo 77; }
    kill() { case $1 in -TERM) : > "$ROOT/terminated" ;; *) command kill "$@" ;; esac; }
    journalctl() { echo "unknown flag: --bad"; }
    hostname() { echo m1; }
    sleep() { echo $(($(clock) + \${1%%.*} + 1)) > "$ROOT/clock"; }
    date() { case "$*" in *Z) echo 2026-01-01T00:00:10Z ;; *) clock ;; esac; }
`;

/** All others have ended before, so the machine's journal skips them. */
const changed = ["node.kubeadm-files", "cluster.join", "node.control-plane-settings", "node.kubelet-settings"];

const answers: Answers = [
    { when: /get node m1/, stdout: "True 2026-01-01T00:00:12Z" },
    { when: /get configmap kube-proxy/, stdout: '{"config.conf":"iptables"}' },
];

describe("a kubelet setting with which the machine lost power before it was proven", () => {
    let root: string;
    const file = (path: string) => join(root, path);
    const read = (path: string) => readFileSync(file(path), "utf8");
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const count = (path: string) => (existsSync(file(path)) ? read(path).trim().split("\n").length : 0);

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-interrupted-kubelet-"));
        mkdirSync(file("run"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const spec = (v: string, changes: Partial<NodeSpec> = {}) =>
        nodeSpec({ extraArgs: { kubelet: v ? { [v]: "1" } : {} }, ...changes });
    const argsOf = (v: string) => `KUBELET_KUBEADM_ARGS="--node-ip=10.0.0.11${v ? ` --${v}=1` : ""}"\n`;

    interface How {
        killed?: boolean;
        /** How many seconds kubelet lives with --bad. */
        lives?: number;
        only?: string[];
        /** Further lines of the KubeletConfiguration. */
        lines?: string;
    }

    /** A member with these settings, as a join leaves it. */
    async function joined(of: NodeSpec) {
        const marks = appliedMarks(of);
        for (const [name, mark] of Object.entries(marks)) write(`${applied}/${name}`, `${mark}\n`);
        write(`${applied}/kubelet-flags`, "--node-ip=10.0.0.11\n");
        write("var/lib/pulumi-nfv/member", `${of.clusterId}\n`);
        write("etc/kubernetes/kubelet.conf", "server: https://10.0.0.11:6443\n");
        write("etc/kubernetes/pki/ca.crt", "");
        for (const component of ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]) {
            // with a certificate of the user's own
            const own =
                component === "kube-apiserver"
                    ? `    - --advertise-address=10.0.0.11\n    - --audit-policy-file=${file(policy)}\n`
                    : "same\n";
            write(`etc/kubernetes/manifests/${component}.yaml`, own);
        }
        write("proc/77/cmdline", "kube-apiserver\0--advertise-address=10.0.0.11\0");
        write(settings, "maxPods: 110\n");
        write(flags, argsOf(""));
        write("running", argsOf(""));
        write("clock", "100\n");
        write("started", "0\n");
        await go(of, { only: ["node.api-server-files"] });
    }

    /** One run: the steps in their order, until one fails. */
    async function go(of: NodeSpec, { killed = false, lives = 0, only, lines = "" }: How = {}) {
        const moved = (text: string) => text.replace(/(?<![\w.}])\/(etc|var\/(?:lib|log)|run|proc)\b/g, `${root}/$1`);
        const bodies = nodeSteps("join").flatMap(factory => factory(of) ?? []);
        // Certificates are empty files here. On a machine whose certificates hold, the probe passes that step over.
        const acts = ({ id, run, target }: StepBody) =>
            run !== undefined && target === undefined && id !== "node.certificates";
        let said = "";
        for (const body of bodies.filter(each => acts(each) && (only === undefined || only.includes(each.id)))) {
            const circumstances = {
                ROOT: root,
                PODS: `110\n${lines}`,
                LIVES: String(lives),
                KILLED: killed ? "yes" : "",
            };
            const env = { ...body.env, ...circumstances };
            if (body.probe && runWithKubectl(world + moved(body.probe), env, answers).code === 0) continue;
            for (const { path, content } of body.files ?? []) write(path.slice(1), content);
            const { code, stdout, stderr } = runWithKubectl(world + moved(body.run!), env, answers);
            said += stdout;
            if (code !== 0) return { failed: body.id, said, stderr };
        }
        return { failed: undefined, said, stderr: "" };
    }

    /** The run of the bad program is killed, and the machine starts again. */
    async function losePower(lives = 0, flag = "bad") {
        const { failed, stderr } = await go(await spec(flag), { killed: true, lives });
        strictEqual(failed, "node.kubelet-settings", stderr);
        write("running", read(flags));
        ok(read("running").includes(`--${flag}=1`));
        write("power-cut", "");
    }

    for (const lives of [0, 1, 15]) {
        for (const [program, flag] of Object.entries({ corrected: "v", former: "" })) {
            it(`is taken back by the ${program} program on the only control-plane node, where kubelet lives ${lives} s`, async () => {
                await joined(await spec(""));
                await losePower(lives);
                const { failed, said, stderr } = await go(await spec(flag), { lives, only: changed });
                strictEqual(failed, undefined, `${failed}: ${stderr}`);
                match(said, /its former settings are restored/);
                strictEqual(read(flags), argsOf(flag));
                strictEqual(read("running"), argsOf(flag));
                strictEqual(read(`${applied}/kubelet-flags`), argsOf(flag).slice(22, -2).replace(" ", "\n") + "\n");
                ok(!existsSync(file(former)));
            });
        }
    }

    for (const [program, flag] of Object.entries({ corrected: "v", former: "" })) {
        for (const only of [changed, undefined]) {
            it(`is taken back by the ${program} program where kubelet goes on but starts no API server, in ${only?.length ?? "all"} steps`, async () => {
                await joined(await spec(""));
                await losePower(0, "deaf");
                const { failed, said, stderr } = await go(await spec(flag), { only });
                strictEqual(failed, undefined, `${failed}: ${stderr}`);
                match(said, /kubelet's former settings are restored/);
                strictEqual(read("running"), argsOf(flag));
            });
        }
    }

    it("fails again with the same program, which leaves a machine that works", async () => {
        await joined(await spec(""));
        await losePower();
        const { failed, stderr } = await go(await spec("bad"));
        strictEqual(failed, "node.kubelet-settings");
        match(stderr, /the former settings are back/);
        strictEqual(read("running"), argsOf(""));
    });

    it("is taken back before another audit policy waits for the API server", async () => {
        await joined(await spec(""));
        await losePower();
        const other = await spec("v", { audit: { enabled: true, policy: "another" } });
        const { failed, stderr } = await go(other);
        strictEqual(failed, undefined, stderr);
        strictEqual(read(policy), "another");
        ok(existsSync(file("terminated")), "the API server was restarted");
    });

    it("is taken back where the API server is waited for", async () => {
        await joined(await spec(""));
        await losePower();
        const { failed, stderr } = await go(await spec(""), { only: ["node.api-server-ready"] });
        strictEqual(failed, undefined, stderr);
        strictEqual(read("running"), argsOf(""));
    });

    it("stays where kubelet works with it, and is proven", async () => {
        await joined(await spec(""));
        await go(await spec("v"), { killed: true });
        write("running", read(flags));
        const { said, failed } = await go(await spec("v"), { only: ["node.api-server-ready"] });
        strictEqual(failed, undefined);
        doesNotMatch(said, /restored/);
        deepStrictEqual([count("restarts"), read("running")], [0, argsOf("v")]);
        ok(existsSync(file(former)));
        strictEqual((await go(await spec("v"))).failed, undefined);
        deepStrictEqual([count("restarts"), existsSync(file(former))], [1, false]);
    });

    const given = ["cpu_manager_state", "memory_manager_state"].map(name => `var/lib/kubelet/${name}`);
    /** Whether kubelet has kept which CPUs it gave to whom. */
    const kept = () => given.map(path => existsSync(file(path)));

    it("makes kubelet give CPUs and memory anew where it decides about them, and so does the way back", async () => {
        await joined(await spec(""));
        for (const path of given) write(path, "{}");
        strictEqual((await go(await spec("v"), { lines: "kubeReserved: {}\n" })).failed, undefined);
        deepStrictEqual(kept(), [false, false]);
        for (const path of given) write(path, "{}");
        strictEqual(
            (await go(await spec(""), { lines: "kubeReserved: {}\nserializeImagePulls: false\n" })).failed,
            undefined,
        );
        deepStrictEqual(kept(), [true, true], "another setting does not");
        const policy = "kubeReserved: {}\ncpuManagerPolicy: static\n";
        const { failed } = await go(await spec("bad"), { lines: policy });
        strictEqual(failed, "node.kubelet-settings");
        deepStrictEqual([...kept(), read("running")], [false, false, argsOf("")]);
    });

    it("is taken back on a worker, too", async () => {
        const worker = (flag: string) => spec(flag, { role: "worker", address: "10.0.0.11", name: "m1" });
        await joined(await worker(""));
        const { failed } = await go(await worker("bad"), { killed: true });
        strictEqual(failed, "node.kubelet-settings");
        write("running", read(flags));
        write("power-cut", "");
        const corrected = await go(await worker("v"));
        strictEqual(corrected.failed, undefined, corrected.stderr);
        strictEqual(read("running"), argsOf("v"));
    });
});
