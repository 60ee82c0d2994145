import { match, ok, strictEqual } from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";

const ownApiServer = kubeadmScript("member/lib/own-api-server.sh");
const staticPods = kubeadmScript("member/lib/static-pods.sh");

/** kubeadm writes a flag into the controller manager's manifest, which ends at once with --bad. Time passes in big steps. */
const world = `
    config=/config.yaml
    ADDRESS=10.0.0.11
    kubeadm() {
        echo "    - $FLAG" >> "$ROOT/etc/kubernetes/manifests/kube-controller-manager.yaml"
        kill "$MANAGER"
        # what has ended has no command line, though its parent has not asked for its end yet
        while [ -n "$(tr -d '\\0' < "/proc/$MANAGER/cmdline")" ]; do command sleep 0.05; done
    }
    # this machine may run nodes of a lab
    pgrep() { command pgrep -P "$PARENT" "$@"; }
    curl() { :; }
    sleep() { :; }
    date() { echo x >> "$ROOT/clock"; echo $(($(wc -l < "$ROOT/clock") * 5)); }
`;

describe("static pods", () => {
    let root: string;
    let children: ChildProcess[];
    const file = (path: string) => join(root, path);
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const manifest = (component: string) => `etc/kubernetes/manifests/${component}.yaml`;
    const command = (component: string, ...flags: string[]) =>
        `  - command:\n${[component, ...flags].map(word => `    - ${word}\n`).join("")}`;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-static-pods-"));
        children = [];
        mkdirSync(file("run"));
        write("wait.sh", "while :; do sleep 1; done\n");
    });
    afterEach(() => {
        for (const child of children) child.kill("SIGKILL");
        rmSync(root, { recursive: true, force: true });
    });

    /** A real process whose program has this name. */
    async function start(name: string, ...flags: string[]): Promise<number> {
        const program = join(mkdtempSync(file("bin-")), name);
        copyFileSync("/bin/sh", program);
        const child = spawn(program, [file("wait.sh"), ...flags], { stdio: "ignore" });
        children.push(child);
        while (!readFileSync(`/proc/${child.pid}/cmdline`, "utf8").startsWith(program)) await sleep(10);
        return child.pid!;
    }
    function run(script: string, env: Record<string, string> = {}) {
        const text = `${world}\n${script}`.replace(/(?<![\w.}])\/(etc|var\/l(?:ib|og)|run)\b/g, `${root}/$1`);
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], {
            input: text,
            encoding: "utf8",
            env: { ...process.env, ROOT: root, PARENT: String(process.pid), ...env },
        });
        return { code: status, stdout, stderr };
    }
    const processOf = (component: string) => run(`${staticPods}\nprocess_of ${component}`).stdout.trim();

    it("are found by the component's whole name: Calico's kube-controllers is no controller manager", async () => {
        const flag = "--kubeconfig=/etc/kubernetes/controller-manager.conf";
        write(manifest("kube-controller-manager"), command("kube-controller-manager", "--v=2", flag));
        await start("kube-controllers");
        strictEqual(processOf("kube-controller-manager"), "");
        const own = await start("kube-controller-manager", "--v=2", flag);
        strictEqual(processOf("kube-controller-manager"), String(own));
    });

    for (const { component, flag, other } of [
        {
            component: "kube-scheduler",
            flag: "--kubeconfig=/etc/kubernetes/scheduler.conf",
            other: "--kubeconfig=/etc/second.conf",
        },
        {
            component: "kube-scheduler",
            flag: "--config=/etc/kubernetes/scheduler.yaml",
            other: "--config=/etc/second.yaml",
        },
        {
            component: "kube-apiserver",
            flag: "--advertise-address=10.0.0.11",
            other: "--advertise-address=10.0.0.1",
        },
        {
            component: "etcd",
            flag: "--advertise-client-urls=https://[fd00::11]:2379",
            other: "--advertise-client-urls=https://[fd00::1]:2379",
        },
    ]) {
        it(`are not mistaken for another ${component} on this machine, by ${flag.split("=")[0]}`, async () => {
            write(manifest(component), command(component, flag));
            await start(component);
            await start(component, other, "--v=2");
            // a script that has the command line as its argument
            await start("wrapper", component, flag);
            strictEqual(processOf(component), "");
            const own = await start(component, "--v=2", flag);
            strictEqual(processOf(component), String(own));
        });
    }

    for (const [how, text] of Object.entries({
        "is away": "",
        "has no flag of its own": command("kube-apiserver", "--v=2"),
    })) {
        it(`are none where the manifest ${how}: who has that name is somebody else's`, async () => {
            if (text) write(manifest("kube-apiserver"), text);
            await start("kube-apiserver", "--v=2");
            strictEqual(processOf("kube-apiserver"), "");
        });
    }

    it("are waited for until the former process ends, also where its own flag changes", async () => {
        write(manifest("kube-apiserver"), command("kube-apiserver", "--advertise-address=10.0.0.12"));
        const former = await start("kube-apiserver", "--advertise-address=10.0.0.11");
        const waits = `sleep() { echo x >> "$ROOT/slept"; [ "$(wc -l < "$ROOT/slept")" -lt 3 ] || kill -KILL ${former}; }`;
        const { code, stderr } = run(`${waits}\n${staticPods}\nother_process kube-apiserver ${former}`);
        strictEqual(code, 0, stderr);
        ok(readFileSync(file("slept"), "utf8").length >= 6);
    });

    it("that refuse their flags do not count as working because another program runs", async () => {
        const flag = "--kubeconfig=/etc/kubernetes/controller-manager.conf";
        const former = command("kube-controller-manager", flag);
        write(manifest("kube-controller-manager"), former);
        for (const component of ["kube-apiserver", "kube-scheduler"]) write(manifest(component), command(component));
        await start("kube-controllers");
        const manager = await start("kube-controller-manager", flag);
        const script = `${ownApiServer}\n${staticPods}\napply_static_pods`;
        const { code, stderr } = run(script, { FLAG: "--bad", MANAGER: String(manager) });
        strictEqual(code, 1);
        match(stderr, /do not work with their new settings .*: kube-controller-manager; the former ones are back/);
        strictEqual(readFileSync(file(manifest("kube-controller-manager")), "utf8"), former);
    });
});
