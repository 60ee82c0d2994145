import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { movingAnnotation } from "../../provider/cluster-api/move/transit";
import { killAtEachMoment } from "../support/kill-at-each-moment";
import { needsTool } from "../support/needs-tool";
import { asStory } from "../support/story";
import {
    cluster,
    controlPlane,
    credentials,
    machineDeployment,
    machineTemplate,
    openstackCluster,
} from "./cluster-api-samples";
import { clusterArguments, command, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { apply } from "./cluster-observed";
import { Clusterctl } from "./clusterctl";

const kinds = [
    ...["clusters", "machinedeployments", "machinesets", "machines", "machinehealthchecks", "clusterresourcesets"],
    ...["kubeadmcontrolplanes", "kubeadmconfigs", "kubeadmconfigtemplates"],
    ...["openstackclusters", "openstackmachines", "openstackmachinetemplates", "openstackservers", "secrets"],
];

/** Two management clusters with the real controllers, without a cloud: a move, killed at each of its stages, and the way back. */
describe("clusters that move to another management cluster", function () {
    this.timeout("30m");
    asStory(this);
    let first: Fixture;
    let second: Fixture;
    let clusterctl: { first: Clusterctl; second: Clusterctl };
    let known: { objects: string[]; described: string[] };

    const single = (node: string, address: string) => {
        const args = clusterArguments(first.lab, { masters: [node], workers: [] }) as any;
        return {
            ...args,
            infrastructure: { hosts: { ...args.infrastructure.hosts, pools: {} } },
            ...{ pools: {}, registries: {} },
            controlPlane: { endpoint: { vip: { address } }, taints: [] },
        };
    };
    const give = async (move: object | null) => {
        const all = {
            cluster: JSON.stringify(single("m1", "10.99.0.100")),
            second: JSON.stringify(single("m2", "10.99.0.101")),
            management: JSON.stringify({ bundle: first.bundle }),
            move: JSON.stringify(move),
        };
        const secrets = JSON.stringify({ privateKey: first.lab.node("m1").privateKey });
        await first.project.setConfig(all, { secrets });
    };
    /** "Machine.cluster.x-k8s.io/c1-x" of all that belongs to the cluster. */
    const objectsOn = async ({ kubectl }: Fixture) => {
        const found = await kubectl("-n", "default", "get", kinds.join(","), "-o", "name");
        return found
            .split("\n")
            .filter(name => name.includes("/c1"))
            .sort();
    };
    const described = async (of: Clusterctl) =>
        (await of.run("describe", "cluster", "c1", "--show-conditions", "all"))
            .split("\n")
            .flatMap(line => /[A-Za-z]+\/c1\S*/.exec(line)?.[0] ?? []);
    const marked = async ({ kubectl }: Fixture) =>
        (await kubectl("get", kinds.join(","), "-A", "-o", "json")).split(`"${movingAnnotation}"`).length - 1;
    const pausedOf = ({ kubectl }: Fixture) =>
        kubectl("-n", "default", "get", "cluster", "c1", "-o", "jsonpath={.spec.paused}");
    /** Kills `up` at each stage of the move; afterwards no Cluster may have been worked on by two. */
    const killed = async () => {
        const { kills, outcome } = await killAtEachMoment(first.project, ["up"], {
            momentIn: line => {
                if (!line.startsWith("{")) return undefined;
                const text: string = JSON.parse(line).diagnosticEvent?.message ?? "";
                return /(pause|wait until|make copies|no Cluster can|remove the|Clusters can|go on with)/.exec(
                    text,
                )?.[0];
            },
            afterKill: async () => {
                const states = await Promise.all([first, second].map(each => pausedOf(each).catch(() => "absent")));
                assert.ok(states.filter(state => state === "").length < 2, `worked on twice: ${states}`);
            },
        });
        assert.equal(outcome.code, 0, outcome.output);
        console.log(`      killed at: ${kills.join("; ")}`);
        assert.ok(kills.length >= 3, `killed only at: ${kills.join("; ")}`);
    };

    before(async function () {
        await needsTool(this, "cluster-api-openstack");
        const { programs } = await needsTool(this, "cluster-api");
        const addOns = ["cluster-api", "cluster-api-openstack"] as const;
        first = await openFixture({ name: "hbmove", nodes: ["m1", "m2"], addOns });
        const folder = path.join(first.folder, "second");
        fs.mkdirSync(folder);
        const kubectl = [path.join(first.bundle, "bin", "kubectl"), "--kubeconfig", path.join(folder, "kubeconfig")];
        second = { ...first, folder, kubectl: async (...args) => command(first.lab.enter([...kubectl, ...args])) };
        const program = programs["clusterctl"]!;
        clusterctl = { first: new Clusterctl(first, program, {}), second: new Clusterctl(second, program, {}) };
        for (const each of Object.values(clusterctl)) each.offer([]);
    });
    after(() => first?.close());

    it("are there, and Cluster API works on them", async () => {
        await give(null);
        await first.project.up();
        const kubeconfig = path.join(second.folder, "kubeconfig");
        fs.writeFileSync(kubeconfig, await first.project.output("secondKubeconfig"), { mode: 0o600 });
        await apply(first, credentials, machineTemplate, openstackCluster, controlPlane, cluster, machineDeployment);
        const objects = await eventually(60, async () => {
            const all = await objectsOn(first);
            assert.ok(
                all.some(name => name.startsWith("machineset.")),
                all.join(" "),
            );
            return all;
        });
        known = { objects, described: await described(clusterctl.first) };
        console.log(`      ${objects.join(" ")}`);
    });

    it("are the same objects for clusterctl, but for the Secret of the cloud, which it finds by a label only", async () => {
        const flags = [
            "--to-kubeconfig",
            path.join(second.folder, "kubeconfig"),
            "-n",
            "default",
            "--dry-run",
            "-v",
            "1",
        ];
        const said = await clusterctl.first.both("move", ...flags);
        const theirs = [...said.matchAll(/Creating (\w+)="([^"]+)"/g)].map(
            ([, kind, name]) => `${kind!.toLowerCase()}/${name}`,
        );
        const ours = known.objects.map(name => name.replace(/\.[^/]*/, ""));
        assert.deepEqual(
            ours.filter(name => !theirs.includes(name)),
            ["secret/c1-cloud-config"],
        );
        assert.deepEqual(
            theirs.filter(name => !ours.includes(name)),
            [],
        );
    });

    it("have moved after an `up` that was killed at each stage: on one side, whole, at work", async () => {
        await give({});
        await killed();
        assert.deepEqual(await objectsOn(second), known.objects);
        assert.deepEqual(await objectsOn(first), []);
        assert.deepEqual([await marked(first), await marked(second), await pausedOf(second)], [0, 0, ""]);
        assert.deepEqual(JSON.parse(await first.project.output("moved")), ["default/c1"]);
        await eventually(30, async () => assert.deepEqual(await described(clusterctl.second), known.described));
        await first.project.up({ expectNoChanges: true });
        await first.project.up({ expectNoChanges: true, refresh: true });
    });

    it("cannot be made again where they were", async () => {
        await assert.rejects(
            apply(first, cluster),
            /clusters of namespace default were moved to another management cluster/,
        );
    });

    it("come back, also when that is killed at each stage, and the namespace is open again", async () => {
        await give(null);
        await killed();
        assert.deepEqual(await objectsOn(first), known.objects);
        assert.deepEqual(await objectsOn(second), []);
        assert.deepEqual([await marked(first), await marked(second), await pausedOf(first)], [0, 0, ""]);
        await eventually(30, async () => assert.deepEqual(await described(clusterctl.first), known.described));
        await apply(first, { ...cluster, metadata: { name: "c2" } });
    });
});
