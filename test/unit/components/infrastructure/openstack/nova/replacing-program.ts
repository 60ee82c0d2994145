import { deepStrictEqual, ok } from "node:assert/strict";
import { KubernetesCluster } from "../../../../../../components";
import type { KubernetesClusterArgs } from "../../../../../../components/args/args";
import type { Heals } from "../../../../../../provider/operation/heals";
import { type Registered, record, registered } from "../../../recorder";
import { cloudArgs } from "../sample-cloud-args";

export const masters = [1, 2, 3].map(n => `core-control-plane-${n}`);
export const workers = [1, 2].map(n => `core-workers-${n}`);
export const all = [...masters, ...workers];
const urn = (type: string, name: string) =>
    `urn:pulumi:test::test::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;

/** What a program registers that replaces servers, of a cluster that was made before. */
export const made = async (
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

/** The operation's start has given these servers a number. */
export const replacedAt = (number: number, names: string[]): Heals => ({
    nodes: Object.fromEntries(names.map(name => [name, number])),
    servers: Object.fromEntries(names.map(name => [name, [number]])),
    replaced: Object.fromEntries(names.map(name => [name, { run: "one", number }])),
});

export const nodesBefore = (resources: Registered[], name: string) =>
    registered(resources, `Instance ${name}`).after.filter(each => each.startsWith("Node "));

const storage = {
    ...{ server: { flavor: "medium" }, volumes: { data: { sizeGiB: 5 } } },
    exports: { "/exports/data": { volume: "data" } },
    persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
    storageClasses: { shared: { export: "/exports/data" } },
};
const rotate = { encryptionKey: "b", serviceAccountKey: "b", authorities: "b", loginKey: "b" };
const hooks = [{ name: "h", events: ["healStart", "healEnd"], script: "package.json" }];
const etcdBackup = { repository: { folder: "/exports/data" }, password: "long-enough-word" };
const cloudProvider = { cinderCsi: {} };
const nova = { ...cloudArgs().infrastructure.nova!, access: { jumpServer: { flavor: "medium" } } };
const infrastructure = { nova };
const heal = { run: "old", nodes: [workers[0]!] };
const kubernetes = { version: "1.34.4", upgrade: { order: [workers[1]!] } };
/** What else a program may ask for beside: each adds what something waits for. */
export const beside = {
    ...{ storage: { storage }, rotations: { rotate }, hooks: { hooks }, snapshots: { etcdBackup } },
    ...{ "a cloud provider": { cloudProvider }, "a jump server": { infrastructure }, "a heal": { heal } },
    ...{ "an order of upgrades": { kubernetes } },
    all: { ...{ storage, rotate, hooks, etcdBackup, cloudProvider, infrastructure, kubernetes } },
} as Record<string, Partial<KubernetesClusterArgs>>;

/** Which nodes it may replace. */
export const sets: readonly string[][] = [all, [masters[0]!], [masters[1]!], [masters[2]!, workers[0]!]];

/** What waits in a circle is never registered. */
export async function assertNoCircle(more: Partial<KubernetesClusterArgs>, of: readonly string[][]): Promise<void> {
    const labels = (resources: Registered[]) => resources.map(({ label }) => label).sort();
    const plain = labels(await made(undefined, more));
    for (const nodes of of) {
        const resources = await made({ run: "one", nodes }, { heals: replacedAt(1, nodes), ...more });
        deepStrictEqual(labels(resources), plain, nodes.join());
        for (const [i, name] of masters.entries())
            if (i > 0 && nodes.includes(name)) ok(nodesBefore(resources, name).includes(`Node ${masters[i - 1]}`));
    }
}
