import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";

const script = kubeadmScript("kubeadm/lib/apply-kube-proxy.sh");

interface Pod {
    name: string;
    node: string;
    /** The settings that it read at its start. */
    mode: string;
    ready: boolean;
    restarts: number;
    deleted: boolean;
    /** When it started. */
    since: number;
}

interface World {
    made: number;
    /** Empty: there is no ConfigMap. */
    mode: string;
    wanted: string;
    /** Node → whether it is Ready. */
    nodes: Record<string, boolean>;
    pods: Pod[];
    /** "MODE" or "MODE@NODE" with which a pod ends → after how many seconds. */
    refused: Record<string, number>;
    calls: string[];
    /** The first call of kubectl after kubeadm's that matches this fails, and all after it: the run was killed. */
    killedAt?: string;
    killed?: boolean;
    /** Our ConfigMap: how far a change is. */
    note?: Record<string, string>;
}

/** kubectl and kubeadm of a cluster in one file. Each call lets the DaemonSet controller and the kubelets do their part. */
const program = (file: string, clock: string) => `#!${process.execPath}
const fs = require("node:fs");
const world = JSON.parse(fs.readFileSync(${JSON.stringify(file)}, "utf8"));
const clock = Number(fs.readFileSync(${JSON.stringify(clock)}, "utf8"));
const args = process.argv.slice(2);
const line = args.join(" ");
const say = text => fs.writeSync(1, text);
world.calls.push(require("node:path").basename(process.argv[1]) + " " + line);
for (const [node, isReady] of Object.entries(world.nodes)) {
    if (!isReady) continue;
    world.pods = world.pods.filter(pod => pod.node !== node || !pod.deleted);
    if (!world.pods.some(pod => pod.node === node)) {
        const name = "kube-proxy-" + ++world.made;
        world.pods.push({ name, node, mode: world.mode, ready: true, restarts: 0, deleted: false, since: clock });
    }
    for (const pod of world.pods.filter(each => each.node === node)) {
        const lives = world.refused[pod.mode] ?? world.refused[pod.mode + "@" + node] ?? Infinity;
        pod.ready = clock - pod.since < lives;
        if (!pod.ready) pod.restarts = Math.floor((clock - pod.since) / 10);
    }
}
const isLater = world.calls.some(call => call.startsWith("kubeadm"));
world.killed ||= Boolean(world.killedAt && isLater && new RegExp(world.killedAt).test(line));
const note = "pulumi-nfv-kube-proxy";
if (world.killed) process.exitCode = 1;
else if (args.includes(note) && args.includes("create")) {
    const literals = args.filter(arg => arg.startsWith("--from-literal=")).map(arg => /^--from-literal=(.*?)=(.*)$/s.exec(arg).slice(1));
    say(JSON.stringify(Object.fromEntries(literals)));
} else if (args.includes(note) && args.includes("delete")) delete world.note;
else if (args.includes(note)) say(world.note?.[/data\\.(\\w+)/.exec(line)[1]] ?? "");
else if (/^apply/.test(line)) world.note = JSON.parse(fs.readFileSync(0, "utf8"));
else if (/^init phase addon kube-proxy/.test(line)) world.mode = world.wanted;
else if (/get configmap/.test(line)) say(world.mode && JSON.stringify({ "config.conf": world.mode }));
else if (/patch configmap/.test(line)) world.mode = JSON.parse(args.at(-1)).data["config.conf"];
else if (/get nodes/.test(line)) for (const [node, isReady] of Object.entries(world.nodes)) say(node + "|" + (isReady ? "True" : "Unknown") + "\\n");
else if (/get pods/.test(line)) {
    for (const { node, name, ready, restarts, deleted } of world.pods) {
        const isReady = ready && world.nodes[node] ? "True" : "False";
        say([node, name, isReady, restarts, deleted ? "2026-01-01T00:00:00Z" : ""].join("|") + "\\n");
    }
} else if (/delete pod/.test(line)) for (const pod of world.pods) pod.deleted ||= args.includes(pod.name) || args.includes("-l");
else if (/ logs /.test(line)) say("unknown proxy mode " + world.mode + "\\n");
else if (/rollout status/.test(line)) {
    process.exitCode = Object.values(world.nodes).every(Boolean) && world.pods.every(pod => pod.ready) ? 0 : 1;
}
fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify(world));
`;

const here = `
    hostname() { echo "$NODE"; }
    sleep() { read -r now < "$CLOCK"; echo $((now + 5 * $1)) > "$CLOCK"; }
    date() { cat "$CLOCK"; }
    config=/config.yaml
`;

describe("kube-proxy's settings", function () {
    this.timeout(180_000);
    let root: string;
    const applied = () => join(root, "var/lib/pulumi-nfv/applied");
    const formerNotes = ["kube-proxy-former.json", "kube-proxy-restarts"].map(name => () => join(applied(), name));
    const clock = () => join(root, "clock");
    const worldFile = () => join(root, "world.json");
    const world = () => JSON.parse(readFileSync(worldFile(), "utf8")) as World;
    const change = (changes: Partial<World>) => writeFileSync(worldFile(), JSON.stringify({ ...world(), ...changes }));

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-kube-proxy-"));
        mkdirSync(applied(), { recursive: true });
        for (const name of ["kubectl", "kubeadm"])
            writeFileSync(join(root, name), program(worldFile(), clock()), { mode: 0o755 });
        writeFileSync(clock(), "0\n");
        const nodes = ["m1", "m2", "w1", "w2"];
        const pods = nodes.map(node => ({ ...{ node, name: `of-${node}`, mode: "iptables" }, ...young }));
        const start: World = {
            ...{ made: 0, mode: "iptables", wanted: "iptables", pods, refused: {}, calls: [] },
            nodes: Object.fromEntries(nodes.map(node => [node, true])),
        };
        writeFileSync(worldFile(), JSON.stringify(start));
    });
    const young = { ready: true, restarts: 0, deleted: false, since: 0 };
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** One run with these settings in the program. */
    function apply(wanted: string, changes: Partial<World> = {}, node = "m1") {
        change({ wanted, calls: [], killed: false, killedAt: "", ...changes });
        const text = `${here}\n${script}\napply_kube_proxy`.replace(/(?<![\w.}])\/(etc|var\/lib|run)\b/g, `${root}/$1`);
        const env = { ...process.env, NODE: node, CLOCK: clock(), PATH: `${root}:${process.env["PATH"]}` };
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], { input: text, encoding: "utf8", env });
        const { pods, calls } = world();
        const deleted = calls.filter(call => /delete pod/.test(call));
        return { code: status, stdout, stderr, deleted, modes: modesOf(pods) };
    }
    const modesOf = (pods: Pod[]) => Object.fromEntries(pods.map(({ node, mode }) => [node, mode]));
    const everywhere = (mode: string) => ({ m1: mode, m2: mode, w1: mode, w2: mode });

    it("that did not change restart nothing and leave no note", () => {
        const { code, stderr, deleted } = apply("iptables");
        strictEqual(code, 0, stderr);
        deepStrictEqual(deleted, []);
        strictEqual(world().note, undefined);
    });

    it("are proven by this machine's pod before the others are replaced", () => {
        const { code, stderr, deleted, modes } = apply("nftables");
        strictEqual(code, 0, stderr);
        deepStrictEqual(modes, everywhere("nftables"));
        strictEqual(deleted.length, 2, deleted.join("\n"));
        match(deleted[0]!, / of-m1$/);
        match(deleted[1]!, / of-m2 of-w1 of-w2$/);
        ok(Number(readFileSync(clock(), "utf8")) >= 10);
        strictEqual(world().note, undefined);
        deepStrictEqual(apply("nftables").deleted, []);
    });

    for (const [how, lives] of Object.entries({ "at once": 0, "after some seconds": 7 })) {
        it(`that kube-proxy refuses ${how} are taken back: the other nodes' pods stay, and kube-proxy's words are there`, () => {
            for (let i = 0; i < 2; i++) {
                const { code, stderr } = apply("nftable", { refused: { nftable: lives } });
                strictEqual(code, 1);
                match(stderr, /kube-proxy does not work with its new settings/);
                match(stderr, /unknown proxy mode nftable/);
                match(stderr, /the former ones are back/);
                strictEqual(world().mode, "iptables");
                const kept = world().pods.filter(({ node }) => node !== "m1");
                deepStrictEqual(
                    kept.map(({ name, deleted }) => [name, deleted]),
                    [
                        ["of-m2", false],
                        ["of-w1", false],
                        ["of-w2", false],
                    ],
                );
            }
            const { code, stderr, modes } = apply("nftables");
            strictEqual(code, 0, stderr);
            deepStrictEqual(modes, everywhere("nftables"));
        });
    }

    it("of a run that was interrupted are proven by the next one, and what is put back is what worked", () => {
        strictEqual(apply("nftable", { refused: { nftable: 0 }, killedAt: "get pods" }).code, 1);
        strictEqual(world().mode, "nftable");
        const { code, stderr } = apply("nftable");
        strictEqual(code, 1);
        match(stderr, /the former ones are back/);
        strictEqual(world().mode, "iptables");
    });

    it("are not taken for proven where the API does not name this machine's pod", () => {
        for (const killedAt of ["get pods", "delete pod"]) {
            apply("nftable", { refused: { nftable: 0 }, mode: "iptables", killedAt });
            strictEqual(world().note?.["state"], "unproven", killedAt);
        }
    });

    it("reach the other nodes though one is dead, and the next run does not replace pods again", () => {
        const nodes = { ...world().nodes, w1: false };
        const { code, stdout, stderr, modes } = apply("nftables", { nodes });
        strictEqual(code, 0, stderr);
        match(stdout, /w1 is not Ready: its kube-proxy gets the new settings when it is back/);
        deepStrictEqual(modes, { ...everywhere("nftables"), w1: "iptables" });
        strictEqual(world().note, undefined);
        deepStrictEqual(apply("nftables").deleted, []);
        apply("nftables", { nodes: { ...nodes, w1: true } });
        deepStrictEqual(modesOf(world().pods), everywhere("nftables"));
    });

    it("that one Ready node cannot use stop the run; the next one waits for it, and replaces nothing again", () => {
        const { code, stderr } = apply("nftables", { refused: { "nftables@w2": 0 } });
        strictEqual(code, 1);
        match(stderr, /kube-proxy does not become ready on w2/);
        const again = apply("nftables");
        strictEqual(again.code, 1);
        doesNotMatch(again.deleted.join(), /kube-proxy-/, "no new pod");
        const corrected = apply("iptables");
        strictEqual(corrected.code, 0, corrected.stderr);
        deepStrictEqual(corrected.modes, everywhere("iptables"));
    });

    it("are proven again where a note of an earlier version does not say which pods are left", () => {
        writeFileSync(formerNotes[1]!(), "");
        const { code, deleted } = apply("iptables");
        strictEqual(code, 0);
        deepStrictEqual(
            deleted.map(call => call.split("--wait=false ")[1]),
            ["of-m1", "of-m2 of-w1 of-w2"],
        );
        strictEqual(world().note, undefined);
    });

    it("are proven by another master where the first one died between the change and the proof", () => {
        apply("nftable", { refused: { nftable: 0 }, killedAt: "get pods" });
        strictEqual(world().mode, "nftable");
        const nodes = { m2: true, w1: true, w2: true };
        const pods = world().pods.filter(({ node }) => node !== "m1");
        const { code, stderr, modes } = apply("nftable", { nodes, pods }, "m2");
        strictEqual(code, 1);
        match(stderr, /unknown proxy mode nftable\nthe former ones are back/);
        deepStrictEqual([world().mode, modes["w1"], modes["w2"]], ["iptables", "iptables", "iptables"]);
        const corrected = apply("nftables", {}, "m2");
        strictEqual(corrected.code, 0, corrected.stderr);
        deepStrictEqual(corrected.modes, { m2: "nftables", w1: "nftables", w2: "nftables" });
    });

    it("reach all nodes by another master where the first one died after the proof: no pod is replaced twice", () => {
        apply("nftables", { killedAt: "delete pod .*of-m2" });
        strictEqual(world().note?.["state"], "proven");
        const nodes = { m2: true, w1: true, w2: true };
        const pods = world().pods.filter(({ node }) => node !== "m1");
        const { code, deleted, modes } = apply("nftables", { nodes, pods }, "m2");
        strictEqual(code, 0);
        deepStrictEqual(
            deleted.map(call => call.split("--wait=false ")[1]),
            ["of-m2 of-w1 of-w2"],
        );
        deepStrictEqual(modes, { m2: "nftables", w1: "nftables", w2: "nftables" });
        strictEqual(world().note, undefined);
    });

    it("that do not work are never done where no former ones were there", () => {
        for (let i = 0; i < 3; i++) {
            const { code, stderr } = apply("nftable", { refused: { nftable: 0 }, ...(i === 0 && { mode: "" }) });
            strictEqual(code, 1);
            match(stderr, /unknown proxy mode nftable/);
            doesNotMatch(stderr, /former ones are back/);
        }
        const { code, stderr, modes } = apply("nftables");
        strictEqual(code, 0, stderr);
        deepStrictEqual(modes, everywhere("nftables"));
        strictEqual(world().note, undefined);
    });

    it("that fail while pods of an earlier change are left do not make these pods forgotten", () => {
        strictEqual(apply("nftables", { refused: { "nftables@w2": 0, nftable: 0 } }).code, 1);
        strictEqual(apply("nftable").code, 1);
        strictEqual(world().note?.["state"], "proven");
        const { code, modes } = apply("nftables", { refused: {} });
        strictEqual(code, 0);
        deepStrictEqual(modes, everywhere("nftables"));
    });

    it("that an earlier release left unproven on this machine are proven", () => {
        writeFileSync(formerNotes[0]!(), '{"data":{"config.conf":"iptables"}}\n');
        const { code, stderr } = apply("nftable", { mode: "nftable", refused: { nftable: 0 } });
        strictEqual(code, 1);
        match(stderr, /the former ones are back/);
        strictEqual(world().mode, "iptables");
        ok(formerNotes.every(name => !existsSync(name())));
    });
});
