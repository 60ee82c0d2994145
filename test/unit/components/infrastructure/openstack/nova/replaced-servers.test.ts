import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { KubernetesCluster } from "../../../../../../components";
import type { KubernetesClusterArgs } from "../../../../../../components/args";
import type { Heals } from "../../../../../../provider/resources/heals";
import { type Registered, record, registered } from "../../../recorder";
import { cloudArgs } from "../sample-cloud-args";

const masters = [1, 2, 3].map(n => `core-control-plane-${n}`);
const workers = [1, 2].map(n => `core-workers-${n}`);
const all = [...masters, ...workers];
const urn = (type: string, name: string) =>
    `urn:pulumi:test::test::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;

describe("a program that replaces servers", function () {
    this.timeout(120_000);

    const made = async (
        replaceServers: KubernetesClusterArgs["replaceServers"],
        {
            heals,
            done = {},
            at = {},
            ...more
        }: {
            heals?: Heals;
            done?: Record<string, number>;
            at?: Record<string, string>;
        } & Partial<KubernetesClusterArgs> = {},
    ) => {
        const { clusterId } = (await record("up", () => undefined)).identity;
        const spec = {
            clusterName: "core",
            clusterId,
            kubernetesVersion: "1.34.4",
            nodes: Object.fromEntries(
                all.map(name => [name, { role: masters.includes(name) ? "controlPlane" : "worker" }]),
            ),
        };
        const state = {
            [urn("OperationStart", "core")]: { outputs: { spec: JSON.stringify(spec), heals } },
            ...Object.fromEntries(
                all.map(name => [
                    urn("Node", name),
                    {
                        outputs: {
                            spec: JSON.stringify({ clusterId, name, ...spec.nodes[name], kubernetesVersion: at[name] }),
                            heal: done[name],
                        },
                    },
                ]),
            ),
        };
        const args = cloudArgs({}, { ...(replaceServers && { replaceServers }), ...more });
        const { resources } = await record("up", () => new KubernetesCluster("core", args), {
            call: token => ({
                ...{ id: "id", name: "public", cidr: "192.168.0.0/20" },
                ...(token.endsWith(":readStackResourceOutputs") && { outputs: state }),
            }),
            outputs: type => ({
                ...(type.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
                ...(type.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
                ...(type.endsWith(":ServerKeys") && {
                    ...{ seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" },
                }),
                ...(type.endsWith(":OperationStart") && { generations: {}, ...(heals && { heals }) }),
            }),
        });
        return resources;
    };
    const replacedAt = (number: number, names: string[]): Heals => ({
        nodes: Object.fromEntries(names.map(name => [name, number])),
        servers: Object.fromEntries(names.map(name => [name, [number]])),
        replaced: Object.fromEntries(names.map(name => [name, { run: "one", number }])),
    });
    const nodesBefore = (resources: Registered[], name: string) =>
        registered(resources, `Instance ${name}`).after.filter(each => each.startsWith("Node "));
    const needsOf = (resources: Registered[]) =>
        JSON.parse(registered(resources, "CloudCheck core").inputs["needs"] as string).servers as {
            name: string;
            replaced?: true;
        }[];

    it("tells the operation's start the names of the nodes, and the checks which servers are made again", async () => {
        const resources = await made({ run: "one", nodes: ["workers"] });
        deepStrictEqual(registered(resources, "OperationStart core").inputs["replaceServers"], {
            run: "one",
            nodes: workers,
            pending: workers,
        });
        const replaced = needsOf(resources).filter(need => need.replaced);
        deepStrictEqual(
            replaced.map(({ name }) => name),
            workers,
        );
        deepStrictEqual(registered(resources, `Node ${workers[0]}`).inputs["replacement"], {
            image: "debian",
            flavor: "medium",
        });
        ok(!("replacement" in registered(resources, `Node ${masters[0]}`).inputs));
    });

    it("names each node once, none of a pool that has none, and leaves what is no pool for the refusal", async () => {
        const namesOf = async (nodes: string[], count = 0, pools = { workers: { count } }) =>
            (
                registered(await made({ run: "one", nodes }, { pools }), "OperationStart core").inputs[
                    "replaceServers"
                ] as { nodes: string[] }
            ).nodes;
        deepStrictEqual(await namesOf(["workers"]), []);
        deepStrictEqual(await namesOf(["workers", "toString"]), ["toString"]);
        deepStrictEqual(await namesOf([workers[1]!, "workers"], 2), [workers[1], workers[0]]);
    });

    it("tells it which nodes a stopped upgrade has left behind", async () => {
        const at = Object.fromEntries(all.map(name => [name, name === masters[0] ? "1.34.4" : "1.33.8"]));
        const resources = await made({ run: "one", nodes: [masters[1]!] }, { at });
        const { behind } = registered(resources, "OperationStart core").inputs["replaceServers"] as {
            behind: string[];
        };
        deepStrictEqual(behind, [...masters.slice(1), ...workers]);
    });

    it("tells it which workers this run moves in place: not those that pauseAfter holds back", async () => {
        const [one, two] = workers as [string, string];
        const at = Object.fromEntries(all.map(name => [name, masters.includes(name) ? "1.34.4" : "1.34.3"]));
        const behindWith = async (upgrade: object) => {
            const kubernetes = { version: "1.34.4", upgrade };
            const resources = await made({ run: "one", nodes: [one] }, { at, kubernetes });
            return (registered(resources, "OperationStart core").inputs["replaceServers"] as { behind?: string[] })
                .behind;
        };
        deepStrictEqual(await behindWith({ order: [one, two], pauseAfter: one }), [one]);
        deepStrictEqual(await behindWith({ order: [one, two] }), workers);
    });

    it("lets each server wait for the nodes before it, without a circle", async () => {
        const resources = await made({ run: "one", all: true }, { heals: replacedAt(1, workers) });
        deepStrictEqual(nodesBefore(resources, masters[1]!), []);
        ok(nodesBefore(resources, workers[0]!).includes(`Node ${masters[2]}`));
        ok(nodesBefore(resources, workers[1]!).includes(`Node ${workers[0]}`));
        for (const name of workers) {
            const trigger = registered(resources, `Instance ${name}`).replacementTrigger as string[];
            match(trigger[0]!, / 1$/);
        }
        // All are registered: a circle would wait for ever.
        deepStrictEqual(resources.filter(({ label }) => label.startsWith("Node ")).length, all.length);
        ok(resources.some(({ label }) => label === "OperationEnd core"));
    });

    it("lets control-plane nodes go one by one, and workers behind them, without a circle", async () => {
        const nodes = ["controlPlane", "workers"];
        const resources = await made({ run: "one", nodes }, { heals: replacedAt(1, all) });
        deepStrictEqual(nodesBefore(resources, masters[0]!), []);
        ok(nodesBefore(resources, masters[1]!).includes(`Node ${masters[0]}`));
        ok(nodesBefore(resources, masters[2]!).includes(`Node ${masters[1]}`));
        ok(nodesBefore(resources, workers[0]!).includes(`Node ${masters[2]}`));
        deepStrictEqual(resources.filter(({ label }) => label.startsWith("Node ")).length, all.length);
        ok(resources.some(({ label }) => label === "OperationEnd core"));
    });

    it("lets a worker that joins come first, also with an order of upgrades, a heal of before and another version, without a circle", async () => {
        const [one, two] = workers as [string, string];
        const newOne = "core-workers-3";
        const pools = { workers: { count: 3 } };
        const heal = { run: "before", all: true };
        const kubernetes = { version: "1.34.5", upgrade: { order: [one] } };
        const heals = replacedAt(1, workers);
        // A worker that left once, and was healed before that, waits for those before it.
        const cameBack = { heal, heals: { ...heals, nodes: { ...heals.nodes, [newOne]: 1 } } };
        const rows: [more: object, waits: string[]][] = [
            [{}, workers],
            [{ heal }, workers],
            [{ kubernetes }, [two]],
            [cameBack, []],
            [{ heals: cameBack.heals }, workers],
        ];
        for (const [more, waits] of rows) {
            const resources = await made({ run: "one", nodes: ["workers"] }, { heals, pools, ...more });
            deepStrictEqual(
                workers.filter(name => nodesBefore(resources, name).includes(`Node ${newOne}`)),
                waits,
            );
            deepStrictEqual(nodesBefore(resources, newOne), []);
            deepStrictEqual(resources.filter(({ label }) => label.startsWith("Node ")).length, all.length + 1);
            ok(resources.some(({ label }) => label === "OperationEnd core"));
        }
    });

    it("is refused for control-plane nodes beside a restore of etcd", async () => {
        const etcdBackup = { repository: { folder: "/backup" }, password: "long-enough-word" } as never;
        const more = { etcdBackup, etcdRestore: { run: "one" } };
        await rejects(made({ run: "one", nodes: [masters[1]!] }, more), /replaceServers: names core-control-plane-2/);
    });

    it("waits for no node any more when all have their new servers", async () => {
        const done = Object.fromEntries(workers.map(name => [name, 1]));
        const resources = await made({ run: "one", all: true }, { heals: replacedAt(1, workers), done });
        for (const name of all) deepStrictEqual(nodesBefore(resources, name), []);
        ok(needsOf(resources).every(({ replaced }) => replaced === undefined));
        ok(registered(resources, `Node ${masters[0]}`).after.includes(`Host ${masters[1]}`));
    });

    it("keeps a server whose turn has not begun when the program asks no more", async () => {
        const done = { [workers[0]!]: 1 };
        const resources = await made(undefined, { heals: replacedAt(1, workers), done });
        const triggers = workers.map(name => registered(resources, `Instance ${name}`).replacementTrigger as string[]);
        match(triggers[0]![0]!, / 1$/);
        deepStrictEqual(triggers[1]![0]!.includes(" "), false);
        const { healWithdrawn } = registered(resources, `Node ${workers[1]}`).inputs;
        deepStrictEqual(healWithdrawn, true);
    });

    describe("of control-plane nodes has no circle", () => {
        const storage = {
            ...{ server: { flavor: "medium" }, volumes: { data: { sizeGiB: 5 } } },
            exports: { "/exports/data": { volume: "data" } },
            persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
            storageClasses: { shared: { export: "/exports/data" } },
        };
        const rotate = { encryptionKey: "b", serviceAccountKey: "b", authorities: "b", loginKey: "b", hostKeys: "b" };
        const hooks = [{ name: "h", events: ["healStart", "healEnd"], script: "package.json" }];
        const etcdBackup = { repository: { folder: "/exports/data" }, password: "long-enough-word" };
        const cloudProvider = { cinderCsi: {} };
        const nova = { ...cloudArgs().infrastructure.nova!, access: { jumpServer: { flavor: "medium" } } };
        const infrastructure = { nova };
        const heal = { run: "old", nodes: [workers[0]!] };
        const kubernetes = { version: "1.34.4", upgrade: { order: [workers[1]!] } };
        const rows = {
            ...{ storage: { storage }, rotations: { rotate }, hooks: { hooks }, snapshots: { etcdBackup } },
            ...{ "a cloud provider": { cloudProvider }, "a jump server": { infrastructure }, "a heal": { heal } },
            ...{ "an order of upgrades": { kubernetes } },
            all: { ...{ storage, rotate, hooks, etcdBackup, cloudProvider, infrastructure, kubernetes } },
        } as Record<string, Partial<KubernetesClusterArgs>>;
        for (const [what, more] of Object.entries(rows)) {
            it(`beside ${what}`, async () => {
                const labels = (of: Registered[]) => of.map(({ label }) => label).sort();
                const plain = labels(await made(undefined, more));
                for (const nodes of [all, [masters[0]!], [masters[1]!], [masters[2]!, workers[0]!]]) {
                    const resources = await made({ run: "one", nodes }, { heals: replacedAt(1, nodes), ...more });
                    // What waits in a circle is never registered.
                    deepStrictEqual(labels(resources), plain, nodes.join());
                    for (const [i, name] of masters.entries())
                        if (i > 0 && nodes.includes(name))
                            ok(nodesBefore(resources, name).includes(`Node ${masters[i - 1]}`));
                }
            });
        }
    });

    it("has nothing of it in the resources of other programs", async () => {
        const resources = await made(undefined);
        for (const { label, inputs } of resources) match(Object.keys(inputs).join(" "), /^(?!.*replace)/i, label);
    });
});
