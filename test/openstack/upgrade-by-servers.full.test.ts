import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { labBundle } from "../../lab/kubernetes-image";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { from, to } from "../e2e/upgrade-fixture";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
    serverIds,
} from "./cloud-fixture";
import { killAfterReplacement } from "./kill-run";
import { openRotation, type Rotation } from "./rotation";

const master = "core-control-plane-1";
const workers = [1, 2].map(n => `core-workers-${n}`);
const extra = "core-workers-3";
const name = "upgraded";
const word = { run: to, nodes: ["workers"] };
const soakSeconds = 30;
const order = { order: [extra, workers[0]], soakSeconds };

describe("a pool that moves to another version of Kubernetes by servers of a new image", function () {
    this.timeout("50m");
    asStory(this);
    let fixture: CloudFixture;
    let rotation: Rotation;
    let untouched: Record<string, string[]>;
    let first: Record<string, string>;
    const bundles: Record<string, string> = {};
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-upgrade-"));

    const configure = (version: string, count: number, replaceServers?: object, upgrade?: object) => {
        const cluster = {
            infrastructure: {
                nova: { image: name, flavor: "m1.medium", externalNetwork: fixture.cloud.publicNetwork },
            },
            kubernetes: { version, source: { bundle: { path: bundles[version] } }, ...(upgrade && { upgrade }) },
            controlPlane: { count: 1 },
            pools: { workers: { count } },
            ...(replaceServers && { replaceServers }),
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
        };
        return fixture.project.setConfig({ cluster: JSON.stringify(cluster) });
    };
    const versionsOfNodes = async () => {
        const { items } = JSON.parse(await fixture.kubectl("get", "nodes", "-o", "json"));
        return Object.fromEntries(items.map((node: any) => [node.metadata.name, node.status.nodeInfo.kubeletVersion]));
    };
    const all = (names: readonly string[], version: string) =>
        Object.fromEntries(names.map(each => [each, `v${version}`]));

    before(async () => {
        for (const version of [from, to])
            bundles[version] = await labBundle(version, [], text => console.log(`      ${text}`));
        fixture = await openCloudFixture("program", name, { programs: "test/openstack" });
        rotation = await openRotation(fixture, name);
        untouched = await footprint(fixture);
        await configure(from, 2);
        await fixture.project.up();
        first = await serverIds(fixture);
        assert.deepEqual(await versionsOfNodes(), all([master, ...workers], from));
        await rotation.rotate();
    });

    after(async () => {
        await destroyOrSay(fixture);
        await rotation?.clear();
        await fixture?.close();
        fs.rmSync(folder, { recursive: true, force: true });
    });

    it("is refused where a part of the pool would move in place; preview says what each node gets", async () => {
        await configure(to, 3, { ...word, nodes: [workers[0]] });
        const refused = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(refused.code, 0, refused.output);
        assert.match(refused.output.replace(/\s+/g, " "), /core-workers-2 would move in place beside core-workers-1/);
        await configure(to, 3, word);
        const flat = (await fixture.project.preview()).replace(/\s+/g, " ");
        console.log(/operation: .*?(?= {2}|Node|$)/.exec(flat)?.[0]);
        assert.match(flat, new RegExp(`Node \\(${master}\\): upgrade in place: Kubernetes ${from} to ${to}`));
        for (const worker of workers)
            assert.match(
                flat,
                new RegExp(
                    `Node \\(${worker}\\): server replaced: image [^;]*, Kubernetes ${from} to ${to}; after the control plane`,
                ),
            );
        assert.deepEqual(await serverIds(fixture), first);
    });

    it("begins with the worker that joins, so that it never has fewer workers than before; a run that is killed goes on; pauseAfter holds the others", async () => {
        await configure(to, 3, word, { ...order, pauseAfter: workers[0] });
        const kubeconfig = path.join(folder, "kubeconfig");
        fs.writeFileSync(kubeconfig, await fixture.project.output("kubeconfig"), { mode: 0o600 });
        const kubectl = path.join(bundles[to]!, "bin", "kubectl");
        const counts: number[] = [];
        let watching = true;
        const watch = async () => {
            for (; watching; await sleep(3000)) {
                // The only API server restarts in the run.
                const text = await fixture
                    .outside(kubectl, "--kubeconfig", kubeconfig, "get", "nodes")
                    .catch(() => undefined);
                if (text !== undefined)
                    counts.push(text.split("\n").filter(line => /^core-workers-\S+\s+Ready /.test(line)).length);
            }
        };
        const watched = watch();
        try {
            await killAfterReplacement(fixture, workers[0]!, first);
            assert.ok(
                (await readyNodes(fixture)).includes(extra),
                "the new worker is there before the first server goes",
            );
            const held = await fixture.project.up();
            assert.match(held, new RegExp(`${workers[0]}.*is watched for another ${soakSeconds} s`));
            const paused = await serverIds(fixture);
            assert.notEqual(paused[workers[0]!], first[workers[0]!]);
            assert.equal(paused[workers[1]!], first[workers[1]!]);
            assert.deepEqual(await versionsOfNodes(), {
                ...all([master, workers[0]!, extra], to),
                ...all([workers[1]!], from),
            });
            await fixture.project.up({ expectNoChanges: true });
            await configure(to, 3, word, order);
            const flat = (await fixture.project.preview()).replace(/\s+/g, " ");
            assert.doesNotMatch(flat, /stays at Kubernetes/);
            assert.match(
                flat,
                new RegExp(`Node \\(${workers[1]}\\): server replaced: .*, Kubernetes ${from} to ${to};`),
            );
            await fixture.project.up();
        } finally {
            watching = false;
            await watched;
        }
        console.log(`      Ready workers, ${counts.length} looks: ${counts.join(" ")}`);
        assert.ok(counts.length > 10 && Math.min(...counts) >= workers.length, counts.join(" "));
        const now = await serverIds(fixture);
        assert.equal(now[master], first[master]);
        for (const worker of workers) assert.notEqual(now[worker], first[worker]);
        const { image } = await rotation.ids();
        for (const worker of [...workers, extra]) assert.equal(await rotation.imageOf(now[worker]!), image);
        assert.deepEqual(await versionsOfNodes(), all([master, ...workers, extra], to));
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("gives the further worker back with its former count, and leaves nothing behind after `pulumi destroy`", async () => {
        const before = await serverIds(fixture);
        await configure(to, 2, word);
        await fixture.project.up();
        const { [extra]: _, ...kept } = before;
        assert.deepEqual(await serverIds(fixture), kept);
        await fixture.project.up({ expectNoChanges: true });
        await destroyWithoutTrace(fixture, untouched);
    });
});
