import { strict as assert } from "node:assert";
import * as os from "node:os";
import * as path from "node:path";
import type { KubernetesClusterArgs } from "../../components/args/args";
import { asStory } from "../support/story";
import {
    canaries,
    clusterArguments,
    eventually,
    type Fixture,
    guardedBudget,
    guardedDeployment,
    openFixture,
} from "./cluster-fixture";
import { apply, footprints, guardedPlaces, watchAvailable } from "./cluster-observed";
import { countsOf, type EtcdWatch, watchEtcd, withoutQuorum } from "./etcd-watch";
import { acknowledgedOf, longestGap, lostWrites, startWriter, type Writer } from "./writer";

const masters = ["m1", "m2", "m3", "m4", "m5"];
const workers = ["w1", "w2", "w3"];

/**
 * Longest time in seconds that a client may be without the API. When the master leaves that holds the virtual address and etcd's leader, these
 * follow one another: HAProxy notices that its API server is no longer ready (2 s), keepalived gives the address away (1 s), etcd elects a
 * leader (1 to 2 s), and the client's attempts of 2 s that began before each of them end. Doubled, because eight nodes share the machine: they
 * are a load of up to four for each core. Where others use the machine, too, all of this takes longer.
 */
const mostSecondsWithout = () => 15 * Math.max(1, os.loadavg()[0]! / (4 * os.cpus().length));

interface Size {
    masters: number;
    workers: number;
    /** Who leaves, and never comes back by itself. */
    remove?: string[];
}

interface Row extends Size {
    title: string;
    operation: RegExp;
    /** The nodes afterwards. */
    nodes: string[];
    /** How many voters etcd has, one after the other. */
    voters: number[];
}

/** life-of-three.test.ts takes one worker in and away; here the control plane grows and shrinks, too. */
describe("a cluster that is scaled out and in while it is in use", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: Fixture;
    let writer: Writer;
    let etcd: EtcdWatch;
    let untouched: Record<string, string>;
    const acknowledged: number[] = [];

    const give = ({ masters: count, workers: pool, remove = [] }: Size) => {
        const args = clusterArguments(fixture.lab, { masters, workers }) as Record<string, any>;
        const removed = (letter: string) => remove.filter(name => name.startsWith(letter));
        args["controlPlane"] = { ...args["controlPlane"], count, remove: removed("m") };
        args["pools"].workers = { ...args["pools"].workers, count: pool, remove: removed("w") };
        args["drain"] = { timeoutSeconds: 120 };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        const cluster = JSON.stringify(args satisfies object as unknown as KubernetesClusterArgs);
        return fixture.project.setConfig({ cluster }, { secrets: JSON.stringify(secrets) });
    };

    const nodesNow = async (): Promise<Record<string, string>> => {
        const { items } = JSON.parse(await fixture.kubectl("get", "nodes", "-o", "json"));
        return Object.fromEntries(items.map((node: any) => [node.metadata.name, node.metadata.uid]));
    };
    const allReady = (nodes: readonly string[]) =>
        fixture.kubectl("wait", "--for=condition=Ready", ...nodes.map(name => `node/${name}`), "--timeout=60s");

    /** The client's attempts since the last call. */
    const taken = () => {
        const writes = writer.since();
        acknowledged.push(...acknowledgedOf(writes));
        return writes;
    };

    /** Fails if the client was without the API for too long; reports what it measured. */
    const clientGoesOn = () => {
        const writes = taken();
        const failed = writes.filter(({ by }) => by === undefined);
        const gap = longestGap(writes);
        const most = mostSecondsWithout();
        console.log(
            `      ${writes.length} writes, ${failed.length} failed, longest gap ${gap.toFixed(1)} s of ${most.toFixed(0)}`,
        );
        const problems = failed.slice(0, 5).map(({ problems: said }) => said.join("; "));
        assert.ok(writes.length > 4, "the client wrote");
        assert.ok(gap <= most, `without the API for ${gap} s\n${problems.join("\n")}`);
        assert.ok(Date.now() - writes.filter(({ by }) => by !== undefined).at(-1)!.at < 1000 * most);
    };

    /** Fails if at some moment the members of etcd that stood were no majority; returns how many voters there were. */
    const etcdStands = () => {
        const moments = etcd.since();
        const unanswered = moments.filter(({ problem }) => problem !== undefined);
        console.log(
            `      etcd: ${moments.length} looks, ${unanswered.length} without an answer; voters ${countsOf(moments)}`,
        );
        assert.deepEqual(withoutQuorum(moments), []);
        assert.ok(moments.length > unanswered.length, unanswered[0]?.problem);
        return countsOf(moments);
    };

    before(async () => {
        fixture = await openFixture({ name: "scale", nodes: [...masters, ...workers], plugins: [] });
        untouched = await footprints(fixture);
        await give({ masters: 1, workers: 1 });
        await fixture.project.up();
        await eventually(30, nodesNow);
        writer = startWriter(fixture.lab, path.join(fixture.folder, "kubeconfig"), { eachOwn: true });
        etcd = await watchEtcd(fixture, "m1", masters);
    });
    after(async () => {
        writer?.stop();
        etcd?.stop();
        await fixture?.close();
    });

    const scale = async ({ operation, nodes, voters, ...size }: Row) => {
        const before = await nodesNow();
        taken();
        etcd.since();
        await give(size);
        const output = (await fixture.project.up()).replace(/\s+/g, " ");
        assert.match(output, operation);
        await allReady(nodes);
        const after = await nodesNow();
        assert.deepEqual(Object.keys(after).sort(), nodes);
        const stayed = nodes.filter(name => before[name] !== undefined);
        for (const name of stayed) assert.equal(after[name], before[name], `${name} is the node that it was`);
        await fixture.project.up({ expectNoChanges: true });
        const seen = etcdStands();
        // A number between two looks may be missed, but none is skipped upwards or downwards by two at once for long.
        assert.deepEqual([seen[0], seen.at(-1)], [voters[0], voters.at(-1)]);
        for (const count of seen) assert.ok(voters.includes(count), `${seen}`);
        clientGoesOn();
    };

    const out: Row[] = [
        {
            title: "grows from 1 + 1 to 3 + 3 in one run",
            ...{ masters: 3, workers: 3 },
            operation: /operation: scale out control plane \+2 \(m2, m3\), workers \+2 \(w2, w3\)/,
            nodes: ["m1", "m2", "m3", "w1", "w2", "w3"],
            voters: [1, 2, 3],
        },
        {
            title: "grows to five control-plane nodes",
            ...{ masters: 5, workers: 3 },
            operation: /operation: scale out control plane \+2 \(m4, m5\)/,
            nodes: [...masters, ...workers],
            voters: [3, 4, 5],
        },
    ];
    for (const row of out) it(row.title, () => scale(row));

    it("loses the two workers and the two control-plane nodes that `remove` names; a budget holds the drain until its pod is elsewhere", async () => {
        // Both pods are on workers that leave, one on each; a new one takes a while until it counts.
        await fixture.kubectl("cordon", "w2");
        await apply(fixture, slowGuarded(), guardedBudget(1));
        await fixture.kubectl("-n", "default", "rollout", "status", "deployment/guarded", "--timeout=120s");
        assert.deepEqual(await guardedPlaces(fixture), ["w1", "w3"]);
        await fixture.kubectl("uncordon", "w2");
        const { samples, stop } = watchAvailable(fixture);
        await scale({
            title: "",
            ...{ masters: 3, workers: 1, remove: ["m2", "m4", "w1", "w3"] },
            operation: /operation: scale in control plane -2 \(m2, m4\), workers -2 \(w1, w3\)/,
            nodes: ["m1", "m3", "m5", "w2"],
            voters: [5, 4, 3],
        });
        await eventually(60, async () => assert.deepEqual(await guardedPlaces(fixture), ["w2", "w2"]));
        stop();
        const seen = [...new Set(samples())].sort();
        assert.deepEqual(seen, ["1", "2"], "how many pods were available: never none, so the second one was held");
    });

    it("shrinks to one control-plane node, which is not the first one", () =>
        scale({
            title: "",
            ...{ masters: 1, workers: 1, remove: ["m1", "m2", "m4", "w1", "w3"] },
            operation: /operation: scale in control plane -2 \(m1, m5\)/,
            nodes: ["m3", "w2"],
            voters: [3, 2, 1],
        }));

    it("has each write that was ever acknowledged", async () => {
        taken();
        assert.deepEqual(await lostWrites(fixture, acknowledged), []);
        assert.ok(acknowledged.length > 100);
    });

    it("has left nothing on the machines that left", async () => {
        const gone = [...masters, ...workers].filter(name => !["m3", "w2"].includes(name));
        const left = (all: Record<string, string>) => Object.fromEntries(gone.map(name => [name, all[name]]));
        await eventually(30, async () => assert.deepEqual(left(await footprints(fixture)), left(untouched)));
    });
});

/** A pod of it counts as available only some seconds after it runs. */
function slowGuarded(): object {
    const deployment = structuredClone(guardedDeployment) as any;
    deployment.spec.template.spec.containers[0].readinessProbe.initialDelaySeconds = 6;
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "guarded" } } };
    deployment.spec.template.spec.affinity = {
        podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
        },
    };
    return deployment;
}
