import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyKubeletChanges } from "../../../../../provider/member/join/apply-changes";
import { type Answers, runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

const settings = "var/lib/kubelet/config.yaml";
const flags = "var/lib/kubelet/kubeadm-flags.env";
const applied = "var/lib/pulumi-nfv/applied";
const formerFlags = 'KUBELET_KUBEADM_ARGS="--node-ip=10.0.0.21"\n';

/**
 * kubelet's service: with the flag --bad kubelet ends LIVES seconds after its start, and systemd starts it again 10 s later. Time
 * passes by sleeping. With KILLED the run is killed at the restart.
 */
const world = `
    clock() { cat "$ROOT/clock"; }
    kubeadm() {
        if [ -n "$ALONE" ] && ! systemctl is-active; then echo "connection refused" >&2; return 1; fi
        echo "maxPods: $PODS" > "$ROOT/${settings}"
    }
    age() { echo $(($(clock) - $(cat "$ROOT/started"))); }
    refuses() { grep -q -e --bad "$ROOT/running"; }
    systemctl() {
        case "$*" in
            restart*)
                [ -z "$KILLED" ] || kill -KILL $$
                echo x >> "$ROOT/restarts"
                clock > "$ROOT/started"
                cat "$ROOT/${flags}" > "$ROOT/running"
                ;;
            start*) rm -f "$ROOT/stopped"; echo x >> "$ROOT/starts" ;;
            *is-active*) [ ! -e "$ROOT/stopped" ] || return 3; ! refuses || [ $(($(age) % (LIVES + 10))) -lt "$LIVES" ] ;;
            show*) refuses && echo "MainPID=$(cat "$ROOT/started")$(($(age) / (LIVES + 10)))" || echo "MainPID=$(cat "$ROOT/started")" ;;
        esac
    }
    journalctl() { echo "unknown flag: --bad"; }
    hostname() { echo w1; }
    sleep() { echo $(($(clock) + $1)) > "$ROOT/clock"; }
    date() { echo 2026-01-01T00:00:10Z; }
`;

describe("kubelet's settings", () => {
    let root: string;
    const file = (path: string) => join(root, path);
    const read = (path: string) => readFileSync(file(path), "utf8");
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const heartbeat = (time: string): Answers => [{ when: /get node w1/, stdout: `True ${time}` }];
    const fresh = heartbeat("2026-01-01T00:00:12Z");

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-kubelet-"));
        write(settings, "maxPods: 110\n");
        write(flags, formerFlags);
        write("running", formerFlags);
        write("clock", "100\n");
        write("started", "0\n");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    interface Given {
        lives?: number;
        answers?: Answers;
        killed?: boolean;
        /** The only control-plane node: without its kubelet there is no API. */
        alone?: boolean;
    }

    /** One run on a worker with these settings. */
    async function apply(flag: string, pods: number, { lives = 0, answers = fresh, ...how }: Given = {}) {
        const step = applyKubeletChanges(await nodeSpec({ role: "worker" }))!;
        const script = (step.run as string).replace(/(?<![\w.}])\/(etc|var\/lib|run)\b/g, `${root}/$1`);
        const circumstances = { LIVES: String(lives), KILLED: how.killed ? "yes" : "", ALONE: how.alone ? "yes" : "" };
        const env = { ...step.env, FLAGS: flag, PODS: String(pods), ...circumstances };
        const start = Number(read("clock"));
        const ran = runWithKubectl(world + script, { ...env, ROOT: root }, answers);
        return { ...ran, seconds: Number(read("clock")) - start };
    }
    const restarts = () => (existsSync(file("restarts")) ? read("restarts").trim().split("\n").length : 0);

    it("are noted as applied when kubelet has said after its restart that it is Ready", async () => {
        const { code, stderr, seconds } = await apply("--v=2", 200);
        strictEqual(code, 0, stderr);
        strictEqual(seconds, 6);
        strictEqual(read(flags), 'KUBELET_KUBEADM_ARGS="--node-ip=10.0.0.21 --v=2"\n');
        ok(existsSync(file(`${applied}/kubelet`)) && !existsSync(file(`${applied}/kubelet-former`)));
        await apply("--v=2", 200);
        strictEqual(restarts(), 1);
    });

    for (const [how, answers] of Object.entries({
        "says nothing": [],
        "was Ready before only": heartbeat("2026-01-01T00:00:09Z"),
        "has no network": [{ when: /get node w1/, stdout: "False 2026-01-01T00:00:12Z" }],
    })) {
        it(`are proven by a process that goes on, where the node ${how}`, async () => {
            const { code, stderr, seconds } = await apply("--v=2", 200, { answers });
            strictEqual(code, 0, stderr);
            strictEqual(seconds, 20);
        });
    }

    for (const lives of [1, 7, 15]) {
        it(`are taken back where kubelet ends after ${lives} s`, async () => {
            for (let i = 0; i < 2; i++) {
                const { code, stderr } = await apply("--bad=1", 200, { lives, answers: [] });
                strictEqual(code, 1);
                match(stderr, /unknown flag: --bad\n.*the former settings are back/s);
                deepStrictEqual(
                    [read(settings), read(flags), read("running")],
                    ["maxPods: 110\n", formerFlags, formerFlags],
                );
                ok(!existsSync(file(`${applied}/kubelet`)));
            }
        });
    }

    it("with which the machine lost power are not the former ones for the next run", async () => {
        await apply("--bad=1", 200, { killed: true });
        match(read(flags), /--bad/);
        write("running", read(flags));
        const { code } = await apply("--bad=1", 200, { answers: [] });
        strictEqual(code, 1);
        deepStrictEqual([read(settings), read(flags)], ["maxPods: 110\n", formerFlags]);
    });

    it("that keep kubelet, and so the only API server, away after a power cut are repaired by the corrected program", async () => {
        await apply("--bad=1", 200, { killed: true });
        write("running", read(flags));
        const { code, stderr } = await apply("--v=2", 200, { alone: true });
        strictEqual(code, 0, stderr);
        strictEqual(read(flags), 'KUBELET_KUBEADM_ARGS="--node-ip=10.0.0.21 --v=2"\n');
    });

    it("that are applied stay as they are where kubelet was stopped: it is started, without the API", async () => {
        await apply("--v=2", 200);
        const mark = read(`${applied}/kubelet`);
        write("stopped", "");
        const { code, stderr, calls } = await apply("--v=2", 999, { alone: true, answers: [] });
        strictEqual(code, 0, stderr);
        deepStrictEqual([read(settings), read("starts"), restarts()], ["maxPods: 200\n", "x\n", 1]);
        strictEqual(read(`${applied}/kubelet`), mark);
        ok(calls.every(call => call.includes("get node w1")));
    });

    it("are no reason to say that kubelet runs where it ends again", async () => {
        await apply("--v=2", 200);
        write("stopped", "");
        write("running", "--bad");
        const { code, stderr } = await apply("--v=2", 200, { lives: 1, answers: [] });
        strictEqual(code, 1);
        match(stderr, /kubelet was started, and does not go on:\n.*\nunknown flag: --bad/);
    });

    it("are asked for by the probe together with kubelet: applied, and it runs", async () => {
        const { probe, env } = applyKubeletChanges(await nodeSpec({ role: "worker" }))!;
        await apply("--v=2", 200);
        const asked = probe!.replace(/(?<![\w.}])\/(etc|var\/lib|run)\b/g, `${root}/$1`);
        const codeOf = () => runWithKubectl(world + asked, { ...env, ROOT: root, LIVES: "0" }, []).code;
        strictEqual(codeOf(), 0);
        write("stopped", "");
        ok(codeOf() !== 0);
    });

    it("are read by kubelet where a run was killed before the restart", async () => {
        await apply("--v=2", 200, { killed: true });
        strictEqual(restarts(), 0);
        const { code, stderr } = await apply("--v=2", 200);
        strictEqual(code, 0, stderr);
        match(read("running"), /--v=2/);
    });
});
