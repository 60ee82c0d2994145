import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";
import { answerPrograms, type Call, type ProgramAnswer, runShell } from "../../../support/answered-programs";

const script = kubeadmScript("member/lib/apply-kube-proxy.sh");

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

/** Each call of kubectl or kubeadm lets the DaemonSet controller and the kubelets do their part first. */
function answer(world: World, clock: number, { program, args, input }: Call): ProgramAnswer {
    const line = args.join(" ");
    world.calls.push(`${program} ${line}`);
    letTimePass(world, clock);
    const isLater = world.calls.some(call => call.startsWith("kubeadm"));
    world.killed ||= Boolean(world.killedAt && isLater && new RegExp(world.killedAt).test(line));
    if (world.killed) return { code: 1 };
    const row = acts.find(([pattern]) => pattern.test(line));
    return row?.[1](world, args, input) ?? {};
}

function letTimePass(world: World, clock: number) {
    for (const node of readyNodes(world)) {
        world.pods = world.pods.filter(pod => pod.node !== node || !pod.deleted);
        if (!world.pods.some(pod => pod.node === node)) {
            const name = `kube-proxy-${++world.made}`;
            world.pods.push({ ...{ name, node, mode: world.mode, since: clock }, ...young });
        }
        for (const pod of world.pods.filter(each => each.node === node)) {
            const lives = world.refused[pod.mode] ?? world.refused[`${pod.mode}@${node}`] ?? Number.POSITIVE_INFINITY;
            pod.ready = clock - pod.since < lives;
            if (!pod.ready) pod.restarts = Math.floor((clock - pod.since) / 10);
        }
    }
}

const young = { ready: true, restarts: 0, deleted: false };
const readyNodes = ({ nodes }: World) => Object.keys(nodes).filter(node => nodes[node]);
const note = "pulumi-nfv-kube-proxy";

/** Command line → what the cluster does and says. The first row that matches. */
const acts: [RegExp, (world: World, args: string[], input: string) => ProgramAnswer | undefined][] = [
    [
        new RegExp(`create .*${note}`),
        (_, args) => {
            const literals = args.flatMap(arg => (/^--from-literal=(.*?)=(.*)$/s.exec(arg) ?? []).slice(1));
            const pairs = literals.flatMap((name, i) => (i % 2 === 0 ? [[name, literals[i + 1]]] : []));
            return { stdout: JSON.stringify(Object.fromEntries(pairs)) };
        },
    ],
    [
        new RegExp(`delete .*${note}`),
        world => {
            delete world.note;
            return undefined;
        },
    ],
    [new RegExp(note), ({ note }, args) => ({ stdout: note?.[/data\.(\w+)/.exec(args.join(" "))![1]!] ?? "" })],
    [
        /^apply/,
        (world, _, input) => {
            world.note = JSON.parse(input);
            return undefined;
        },
    ],
    [
        /^init phase addon kube-proxy/,
        world => {
            world.mode = world.wanted;
            return undefined;
        },
    ],
    [/get configmap/, ({ mode }) => ({ stdout: mode && JSON.stringify({ "config.conf": mode }) })],
    [
        /patch configmap/,
        (world, args) => {
            world.mode = JSON.parse(args.at(-1)!).data["config.conf"];
            return undefined;
        },
    ],
    [
        /get nodes/,
        ({ nodes }) => ({
            stdout: lines(Object.entries(nodes), ([node, isReady]) => [node, isReady ? "True" : "Unknown"]),
        }),
    ],
    [
        /get pods/,
        ({ nodes, pods }) => ({
            stdout: lines(pods, ({ node, name, ready, restarts, deleted }) => {
                const isReady = ready && nodes[node] ? "True" : "False";
                return [node, name, isReady, restarts, deleted ? "2026-01-01T00:00:00Z" : ""];
            }),
        }),
    ],
    [
        /delete pod/,
        ({ pods }, args) => {
            for (const pod of pods) pod.deleted ||= args.includes(pod.name) || args.includes("-l");
            return undefined;
        },
    ],
    [/ logs /, ({ mode }) => ({ stdout: `unknown proxy mode ${mode}\n` })],
    [
        /rollout status/,
        ({ nodes, pods }) => ({ code: Object.values(nodes).every(Boolean) && pods.every(pod => pod.ready) ? 0 : 1 }),
    ],
];

const lines = <T>(rows: T[], words: (row: T) => unknown[]) => rows.map(row => `${words(row).join("|")}\n`).join("");

const here = `
    hostname() { echo "$NODE"; }
    sleep() { read -r now < "$CLOCK"; echo $((now + 5 * $1)) > "$CLOCK"; }
    date() { cat "$CLOCK"; }
    config=/config.yaml
`;

describe("kube-proxy's settings", () => {
    let root: string;
    let world: World;
    let programs: { close(): void };
    const clock = () => join(root, "clock");
    const seconds = () => Number(readFileSync(clock(), "utf8"));

    beforeEach(async () => {
        root = mkdtempSync(join(tmpdir(), "nfv-kube-proxy-"));
        programs = await answerPrograms(root, ["kubectl", "kubeadm"], call => answer(world, seconds(), call));
        writeFileSync(clock(), "0\n");
        const nodes = ["m1", "m2", "w1", "w2"];
        world = {
            ...{ made: 0, mode: "iptables", wanted: "iptables", refused: {}, calls: [] },
            pods: nodes.map(node => ({ node, name: `of-${node}`, mode: "iptables", since: 0, ...young })),
            nodes: Object.fromEntries(nodes.map(node => [node, true])),
        };
    });
    afterEach(() => {
        programs.close();
        rmSync(root, { recursive: true, force: true });
    });

    /** One run with these settings in the program. */
    async function apply(wanted: string, changes: Partial<World> = {}, node = "m1") {
        Object.assign(world, { wanted, calls: [], killed: false, killedAt: "", ...changes });
        const text = `${here}\n${script}\napply_kube_proxy`.replace(/(?<![\w.}])\/(etc|var\/lib|run)\b/g, `${root}/$1`);
        const env = { ...process.env, NODE: node, CLOCK: clock(), PATH: `${root}:${process.env["PATH"]}` };
        const ran = await runShell(text, env);
        const deleted = world.calls.filter(call => /delete pod/.test(call));
        return { ...ran, deleted, modes: modesOf(world.pods) };
    }
    const modesOf = (pods: Pod[]) => Object.fromEntries(pods.map(({ node, mode }) => [node, mode]));
    const everywhere = (mode: string) => ({ m1: mode, m2: mode, w1: mode, w2: mode });

    it("that did not change restart nothing and leave no note", async () => {
        const { code, stderr, deleted } = await apply("iptables");
        strictEqual(code, 0, stderr);
        deepStrictEqual(deleted, []);
        strictEqual(world.note, undefined);
    });

    it("are proven by this machine's pod before the others are replaced", async () => {
        const { code, stderr, deleted, modes } = await apply("nftables");
        strictEqual(code, 0, stderr);
        deepStrictEqual(modes, everywhere("nftables"));
        strictEqual(deleted.length, 2, deleted.join("\n"));
        match(deleted[0]!, / of-m1$/);
        match(deleted[1]!, / of-m2 of-w1 of-w2$/);
        ok(seconds() >= 10);
        strictEqual(world.note, undefined);
        deepStrictEqual((await apply("nftables")).deleted, []);
    });

    for (const [how, lives] of Object.entries({ "at once": 0, "after some seconds": 7 })) {
        it(`that kube-proxy refuses ${how} are taken back: the other nodes' pods stay, and kube-proxy's words are there`, async () => {
            for (let i = 0; i < 2; i++) {
                const { code, stderr } = await apply("nftable", { refused: { nftable: lives } });
                strictEqual(code, 1);
                match(stderr, /kube-proxy does not work with its new settings/);
                match(stderr, /unknown proxy mode nftable/);
                match(stderr, /the former ones are back/);
                strictEqual(world.mode, "iptables");
                const kept = world.pods.filter(({ node }) => node !== "m1");
                deepStrictEqual(
                    kept.map(({ name, deleted }) => [name, deleted]),
                    [
                        ["of-m2", false],
                        ["of-w1", false],
                        ["of-w2", false],
                    ],
                );
            }
            const { code, stderr, modes } = await apply("nftables");
            strictEqual(code, 0, stderr);
            deepStrictEqual(modes, everywhere("nftables"));
        });
    }

    it("of a run that was interrupted are proven by the next one, and what is put back is what worked", async () => {
        strictEqual((await apply("nftable", { refused: { nftable: 0 }, killedAt: "get pods" })).code, 1);
        strictEqual(world.mode, "nftable");
        const { code, stderr } = await apply("nftable");
        strictEqual(code, 1);
        match(stderr, /the former ones are back/);
        strictEqual(world.mode, "iptables");
    });

    it("are not taken for proven where the API does not name this machine's pod", async () => {
        for (const killedAt of ["get pods", "delete pod"]) {
            await apply("nftable", { refused: { nftable: 0 }, mode: "iptables", killedAt });
            strictEqual(world.note?.["state"], "unproven", killedAt);
        }
    });

    it("reach the other nodes though one is dead, and the next run does not replace pods again", async () => {
        const nodes = { ...world.nodes, w1: false };
        const { code, stdout, stderr, modes } = await apply("nftables", { nodes });
        strictEqual(code, 0, stderr);
        match(stdout, /w1 is not Ready: its kube-proxy gets the new settings when it is back/);
        deepStrictEqual(modes, { ...everywhere("nftables"), w1: "iptables" });
        strictEqual(world.note, undefined);
        deepStrictEqual((await apply("nftables")).deleted, []);
        await apply("nftables", { nodes: { ...nodes, w1: true } });
        deepStrictEqual(modesOf(world.pods), everywhere("nftables"));
    });

    it("that one Ready node cannot use stop the run; the next one waits for it, and replaces nothing again", async () => {
        const { code, stderr } = await apply("nftables", { refused: { "nftables@w2": 0 } });
        strictEqual(code, 1);
        match(stderr, /kube-proxy does not become ready on w2/);
        const again = await apply("nftables");
        strictEqual(again.code, 1);
        doesNotMatch(again.deleted.join(), /kube-proxy-/, "no new pod");
        const corrected = await apply("iptables");
        strictEqual(corrected.code, 0, corrected.stderr);
        deepStrictEqual(corrected.modes, everywhere("iptables"));
    });

    it("are proven by another master where the first one died between the change and the proof", async () => {
        await apply("nftable", { refused: { nftable: 0 }, killedAt: "get pods" });
        strictEqual(world.mode, "nftable");
        const nodes = { m2: true, w1: true, w2: true };
        const pods = world.pods.filter(({ node }) => node !== "m1");
        const { code, stderr, modes } = await apply("nftable", { nodes, pods }, "m2");
        strictEqual(code, 1);
        match(stderr, /unknown proxy mode nftable\nthe former ones are back/);
        deepStrictEqual([world.mode, modes["w1"], modes["w2"]], ["iptables", "iptables", "iptables"]);
        const corrected = await apply("nftables", {}, "m2");
        strictEqual(corrected.code, 0, corrected.stderr);
        deepStrictEqual(corrected.modes, { m2: "nftables", w1: "nftables", w2: "nftables" });
    });

    it("reach all nodes by another master where the first one died after the proof: no pod is replaced twice", async () => {
        await apply("nftables", { killedAt: "delete pod .*of-m2" });
        strictEqual(world.note?.["state"], "proven");
        const nodes = { m2: true, w1: true, w2: true };
        const pods = world.pods.filter(({ node }) => node !== "m1");
        const { code, deleted, modes } = await apply("nftables", { nodes, pods }, "m2");
        strictEqual(code, 0);
        deepStrictEqual(
            deleted.map(call => call.split("--wait=false ")[1]),
            ["of-m2 of-w1 of-w2"],
        );
        deepStrictEqual(modes, { m2: "nftables", w1: "nftables", w2: "nftables" });
        strictEqual(world.note, undefined);
    });

    it("that do not work are never done where no former ones were there", async () => {
        for (let i = 0; i < 3; i++) {
            const { code, stderr } = await apply("nftable", { refused: { nftable: 0 }, ...(i === 0 && { mode: "" }) });
            strictEqual(code, 1);
            match(stderr, /unknown proxy mode nftable/);
            doesNotMatch(stderr, /former ones are back/);
        }
        const { code, stderr, modes } = await apply("nftables");
        strictEqual(code, 0, stderr);
        deepStrictEqual(modes, everywhere("nftables"));
        strictEqual(world.note, undefined);
    });

    it("that fail while pods of an earlier change are left do not make these pods forgotten", async () => {
        strictEqual((await apply("nftables", { refused: { "nftables@w2": 0, nftable: 0 } })).code, 1);
        strictEqual((await apply("nftable")).code, 1);
        strictEqual(world.note?.["state"], "proven");
        const { code, modes } = await apply("nftables", { refused: {} });
        strictEqual(code, 0);
        deepStrictEqual(modes, everywhere("nftables"));
    });
});
