import { strict as assert } from "node:assert";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../integration/components/sequences/random";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { type EtcdWatch, watchEtcd, withoutQuorum } from "./etcd-watch";
import { acknowledgedOf, lostWrites, startWriter, type Writer } from "./writer";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2", "w3"];
/** `NFV_SEED=17` plays only that sequence, on the cluster as it is made. */
const given = process.env["NFV_SEED"];
const seeds = given === undefined ? Array.from({ length: 10 }, (_, i) => i + 1) : [Number(given)];
const stepsOfSequence = 2;

/**
 * Random operations and faults on real nodes, one after another on one cluster; the integration level plays many more on simulated ones. After each
 * step the next `up` converges, all nodes are Ready, and etcd never was without a majority while none of its machines was off.
 */
describe("random sequences on real nodes", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let writer: Writer;
    let etcd: EtcdWatch;
    let healed = 0;
    const size = { masters: 1, workers: 2 };
    const acknowledged: number[] = [];

    const give = async (heal?: object) => {
        const args = clusterArguments(fixture.lab, { masters, workers }) as Record<string, any>;
        args["controlPlane"] = { ...args["controlPlane"], count: size.masters };
        args["pools"].workers = { ...args["pools"].workers, count: size.workers };
        Object.assign(args, { registries: {}, drain: { timeoutSeconds: 60, policy: "delete" }, ...(heal && { heal }) });
        const secrets = JSON.stringify({ privateKey: fixture.lab.node("m1").privateKey });
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets });
    };
    const members = () => [...masters.slice(0, size.masters), ...workers.slice(0, size.workers)];
    const another = (random: Random, sizes: readonly number[], now: number) =>
        random.of(sizes.filter(each => each !== now));
    /** Not a machine without which etcd has no majority. */
    const spareable = () => (size.masters === 3 ? members() : members().filter(name => name.startsWith("w")));

    /** Each changes something, lets `up` do its part, and says what it was. */
    const steps: Record<string, (random: Random) => Promise<string>> = {
        workers: async random => {
            size.workers = another(random, [1, 2, 3], size.workers);
            await give();
            await fixture.project.up();
            return `${size.workers} workers`;
        },
        masters: async () => {
            size.masters = size.masters === 1 ? 3 : 1;
            await give();
            await fixture.project.up();
            return `${size.masters} masters`;
        },
        killed: async random => {
            size.workers = another(random, [1, 2, 3], size.workers);
            if (random.isTrue(0.3)) size.masters = size.masters === 1 ? 3 : 1;
            await give();
            const seconds = 4 + random.below(30);
            const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
            await Promise.race([sleep(seconds * 1000), run.done]);
            killTree(run.pid);
            await run.done.catch(() => {});
            await fixture.project.stack.cancel().catch(() => {});
            await fixture.project.up();
            return `killed after ${seconds} s on the way to ${size.masters} masters and ${size.workers} workers`;
        },
        stopped: async random => {
            const [node, unit] = [random.of(members()), random.of(["kubelet", "containerd"])];
            await fixture.lab.mustSsh(node, `systemctl stop ${unit}`);
            await fixture.project.up({ refresh: true });
            return `${unit} of ${node} stopped`;
        },
        power: async random => {
            const node = random.of(spareable());
            etcdStands();
            await fixture.lab.powerOff(node);
            await sleep(1000 * random.below(20));
            await fixture.lab.powerOn(node);
            await fixture.project.up({ refresh: true });
            etcd.since();
            return `${node} lost its power`;
        },
        heal: async random => {
            const node = random.of(spareable());
            await give({ run: `heal-${++healed}`, nodes: [node] });
            await fixture.project.up();
            return `${node} healed by name`;
        },
    };

    const etcdStands = () => assert.deepEqual(withoutQuorum(etcd.since()), []);
    const isWhole = () =>
        eventually(120, async () => {
            const lines = (await fixture.kubectl("get", "nodes", "--no-headers")).trim().split("\n");
            assert.deepEqual(lines.map(line => line.split(/\s+/)[0]).sort(), members());
            assert.ok(
                lines.every(line => / Ready /.test(line)),
                lines.join("\n"),
            );
        });

    before(async () => {
        fixture = await openFixture({ name: "random", nodes: [...masters, ...workers], plugins: [] });
        await give();
        await fixture.project.up();
        await eventually(30, () => fixture.kubectl("get", "nodes"));
        writer = startWriter(fixture.lab, path.join(fixture.folder, "kubeconfig"), { eachOwn: true });
        etcd = await watchEtcd(fixture, "m1", masters);
    });
    after(async () => {
        writer?.stop();
        etcd?.stop();
        await fixture?.close();
    });

    for (const seed of seeds) {
        it(`sequence ${seed} converges after each step`, async () => {
            const random = new Random(seed);
            for (let i = 0; i < stepsOfSequence; i++) {
                const said = await steps[random.of(Object.keys(steps))]!(random);
                console.log(`      ${seed}.${i + 1}: ${said}`);
                await isWhole();
                await fixture.project.up({ expectNoChanges: true });
                etcdStands();
                acknowledged.push(...acknowledgedOf(writer.since()));
            }
        });
    }

    it("have kept each write that was ever acknowledged", async () => {
        acknowledged.push(...acknowledgedOf(writer.since()));
        assert.deepEqual(await lostWrites(fixture, acknowledged), []);
        assert.ok(acknowledged.length > 100);
    });
});
