import assert from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import type { CloudPlan } from "../../../../components/infrastructure/openstack/plan-cloud";
import { startNodes } from "../../../../components/infrastructure/openstack/start-nodes";
import { endpointShape, fixedValues } from "../../../../components/kubernetes-cluster/fixed-values";
import { generateSchema } from "../../../../components/schema/generate";
import { type Effect, inputsOf } from "../../../../components/schema/inputs-table";
import { problems } from "../../../../components/validation/validate";
import type { CloudStartInputs } from "../../../../provider/cloud/cloud-start-inputs";
import { clusterIdResource } from "../../../../provider/cluster/cluster-id";
import { operationStart } from "../../../../provider/cluster/operation-start";
import { fixedFlags } from "../../../../provider/contract/fixed-inputs";
import { refuseUpgrade } from "../../../../provider/member/upgrade/upgrade";
import { clusterId, plannedCluster } from "../planned-cluster";
import { triedChanges } from "./tried-changes";

/**
 * Effect of a step that runs again; the kubelet's on control-plane nodes runs on one after the other. Other steps do not run again on existing nodes.
 */
const costs: Record<string, Effect> = {
    "host.virtual-address-free": "step",
    "host.originals": "step",
    "host.images": "step",
    "host.kubernetes-packages": "step",
    "host.kubernetes-versions": "step",
    "host.sysctls": "step",
    "host.proxy": "restart",
    "host.certificates": "step",
    "host.container-runtime": "step",
    "host.container-runtime-config": "restart",
    "host.runtime-files": "step",
    "host.runtime-switch": "restart",
    "host.registries": "step",
    "host.haproxy": "restart",
    "host.virtual-router-id": "step",
    "host.virtual-address-guard": "step",
    "host.metadata-guard": "step",
    "host.keepalived": "restart",
    "node.kubernetes-version": "rolling",
    "node.kubeadm-files": "step",
    "node.api-server-files": "rolling",
    "node.control-plane-settings": "rolling",
    "node.kubelet-settings": "restart",
    "master node.kubelet-settings": "rolling",
    "node.labels": "step",
    "cluster.network": "step",
    "cluster.nodes-ready": "step",
    "cluster.virtual-address": "step",
    "cluster.tenants": "step",
    "cluster.endpoint": "step",
};

/** Input of a cluster → its `@change`. */
const changes = new Map(
    inputsOf(generateSchema() as never, "KubernetesCluster").flatMap(({ place, change }) =>
        change === undefined ? [] : [[place, change] as const],
    ),
);

/** Steps on other nodes that an added or removed node may cause. */
const ofMembership = ["host.haproxy", "host.keepalived", "host.virtual-address-guard"];

/** Rows whose change is tested elsewhere: the beginning of their names → where. */
const elsewhere: Record<string, string> = {
    "infrastructure.heat.template.parameters": "test/unit/components/infrastructure/openstack/hot",
    "infrastructure.heat.template.tacker": "test/unit/components/infrastructure/openstack/hot",
    etcdBackup:
        "test/unit/provider/etcd/etcd-backup.test.ts and test/unit/components/kubernetes-cluster/etcd-backups.test.ts",
    "kubernetes.upgrade.":
        "test/unit/components/infrastructure/upgrade-order.test.ts and test/unit/provider/member/upgrade/upgrade-turn.test.ts",
    etcdRestore: "test/unit/provider/procedures/etcd-restore/restore.test.ts",
    acceptDrift: "test/unit/provider/machine/drift.test.ts",
    "os.": "test/unit/provider/procedures/os/os-upgrade.test.ts",
    "restart.": "test/unit/provider/procedures/container-runtime/restart.test.ts",
    rotate: "test/unit/provider/procedures/encryption-key/encryption-rotation.test.ts",
    heal: "test/unit/provider/operation/heals.test.ts",
    replaceServers: "test/unit/provider/operation/replacements.test.ts",
    "snapshotController.": "test/unit/provider/snapshots/snapshot-class-set.test.ts",
    "cloudProvider.": "test/unit/components/infrastructure/openstack/cloud-provider.test.ts",
    "storage.": "test/unit/provider/storage and test/unit/provider/storage/storage-machine.test.ts",
    "hooks[].": "test/unit/components/kubernetes-cluster/hooks-of-a-cluster.test.ts",
    "vim.": "test/unit/provider/vim/vim.test.ts",
};

/** A cluster as its resources see it: steps by place, and everything by which a change of it is refused. */
function look(args: KubernetesClusterArgs) {
    const { shape, servers, steps } = plannedCluster(args);
    const masters = shape.masters.map(({ name }) => name);
    const fixed = fixedValues(args, "core");
    const workers = Object.keys(shape.nodes).filter(name => !masters.includes(name));
    const kept = { fixed, masters, workers, endpoint: endpointShape(args, "core") };
    const { nodes } = servers ? startNodes({ backEnd: "nova", plan: servers } as CloudPlan) : { nodes: {} };
    const start = { clusterName: "core", backEnd: "nova", nodes } as CloudStartInputs["spec"];
    return {
        steps: Object.fromEntries(steps.map(({ place, step }) => [`${place} ${step.id}`, step.fingerprint])),
        masters,
        machines: shape.nodes,
        cloud: servers,
        identity: { clusterName: fixed["clusterName"]!, kept: JSON.stringify(kept) },
        start: { resourceUrn: "urn:start", spec: start, ssh: {} } as CloudStartInputs,
        node: { spec: { name: "m1", clusterId, kubernetesVersion: args.kubernetes.version } },
    };
}

/** Why a change is refused: by the identity, by the operation's start, by a node. */
function refusals(before: ReturnType<typeof look>, after: ReturnType<typeof look>): string[] {
    const found = [
        ...(clusterIdResource.check(before.identity, after.identity).failures ?? []),
        ...(operationStart.check(before.start, after.start).failures ?? []),
    ].map(({ reason }) => reason);
    try {
        refuseUpgrade({ ...before.node, done: { "cluster.join": "done" } }, after.node);
    } catch (error) {
        found.push((error as Error).message);
    }
    return found;
}

/** "m1 node.labels" of machines that exist before and after at the same address, and of the cluster. */
function staleSteps(before: ReturnType<typeof look>, after: ReturnType<typeof look>): string[] {
    const stays = (name: string) =>
        name === "cluster" || before.machines[name]?.address === after.machines[name]?.address;
    return [...new Set([...Object.keys(before.steps), ...Object.keys(after.steps)])].filter(
        key => before.steps[key] !== after.steps[key] && stays(key.split(" ")[0]!),
    );
}

const order: Effect[] = ["nothing", "step", "restart", "rolling"];

function costOf(key: string, masters: readonly string[]): Effect {
    const [place, id] = key.split(" ") as [string, string];
    const cost = (masters.includes(place) ? costs[`master ${id}`] : undefined) ?? costs[id];
    assert.ok(cost, `${key} is stale: that is no step for a node that stays`);
    return cost;
}

/** What each effect must show. */
const expectations: Record<Effect, (seen: ReturnType<typeof see>) => void> = {
    nothing: ({ stale }) => assert.deepEqual(stale, []),
    step: worst("step"),
    restart: worst("restart"),
    rolling: worst("rolling"),
    membership: ({ stale, before, after }) => {
        const others = stale.filter(key => !key.startsWith("cluster "));
        assert.deepEqual(
            [...new Set(others.map(key => key.split(" ")[1]!))].filter(id => !ofMembership.includes(id)),
            [],
        );
        const addresses = (machines: typeof before.machines) =>
            Object.values(machines).map(({ name, address }) => `${name} ${address}`);
        assert.notDeepEqual(addresses(before.machines), addresses(after.machines));
    },
    cloud: onlyTheCloud,
    machines: () => assert.fail("only workload clusters have machines of Cluster API"),
    again: onlyTheCloud,
    refused: () => {},
};

function worst(effect: Effect) {
    return ({ stale, before }: ReturnType<typeof see>) => {
        const found = stale
            .map(key => costOf(key, before.masters))
            .sort((a, b) => order.indexOf(b) - order.indexOf(a))[0];
        assert.equal(found ?? "nothing", effect, stale.join(", "));
    };
}

function onlyTheCloud({ stale, before, after }: ReturnType<typeof see>): void {
    assert.deepEqual(stale, []);
    assert.notDeepEqual(before.cloud, after.cloud);
}

function see({ before: from, after: to }: (typeof triedChanges)[string]) {
    const [before, after] = [look(from), look(to)];
    return { before, after, stale: staleSteps(before, after), refused: refusals(before, after) };
}

describe("a change of each input", () => {
    for (const [row, change] of Object.entries(triedChanges)) {
        const effect = changes.get(row)?.split(":")[0] as Effect;
        it(`${row}: ${effect}`, () => {
            assert.ok(effect, "docs/inputs.md has no such row");
            for (const args of [change.before, change.after]) assert.deepEqual(problems("KubernetesCluster", args), []);
            const seen = see(change);
            assert.equal(seen.refused.length > 0, effect === "refused", seen.refused.join());
            expectations[effect](seen);
        });
    }

    it("of controlPlane is refused in part, as the rows say: flags by which data would be lost, encryption turned off", () => {
        const { before } = triedChanges["controlPlane.labels"]!;
        const flags = Object.entries(fixedFlags).flatMap(([component, names]) =>
            names.map(flag => ({ extraArgs: { [component]: { [flag]: "other" } } })),
        );
        assert.ok(flags.length > 10);
        for (const part of [...flags, { encryptionAtRest: { enabled: false } }]) {
            const after = { ...before, controlPlane: { ...before.controlPlane, ...part } };
            assert.equal(see({ before, after }).refused.length, 1, JSON.stringify(part));
        }
    });

    it("is tried here, or it is said where", () => {
        const isTried = (row: string, change: string) =>
            Object.keys(triedChanges).some(
                tried => tried === row || (tried.startsWith(`${row}.`) && changes.get(tried) === change),
            );
        const untried = [...changes].flatMap(([row, change]) =>
            isTried(row, change) || Object.keys(elsewhere).some(start => row.startsWith(start)) ? [] : [row],
        );
        assert.deepEqual(untried, []);
    });
});
