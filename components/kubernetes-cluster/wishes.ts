import { createHash } from "node:crypto";
import type * as pulumi from "@pulumi/pulumi";
import { orPlaceholder } from "../../provider/adapters/or-placeholder";
import { cloudProviderSteps } from "../../provider/cloud-provider/cloud-provider";
import { networkSteps } from "../../provider/cluster/cluster-network";
import { operationEndSteps } from "../../provider/cluster/operation-end";
import type { NodeSpec } from "../../provider/common/model";
import { etcdBackupSteps } from "../../provider/etcd/snapshot-steps";
import { hostSteps } from "../../provider/host/host-steps";
import { nodeSteps } from "../../provider/member/node-steps";
import { plan } from "../../provider/steps/plan";
import type { StepFactory } from "../../provider/steps/types";
import { storageNode } from "../../provider/storage/storage-leaves";
import { storageBackupSteps, storageSteps } from "../../provider/storage/storage-steps";
import type { KubernetesClusterArgs } from "../args/args";
import type { Addresses, Infrastructure, NodeName } from "../infrastructure/infrastructure";
import { keyedHashes } from "../preview/keyed-hashes";
import { sampleIdentity, sampleKeys } from "../preview/sample-identity";
import { storagePlan } from "../storage/storage-plan";
import type { Cluster } from "./cluster-parts";
import { clusterPlan, type Files } from "./cluster-plan";
import { etcdBackupSpecs } from "./etcd-backup-plan";

/** A resource that runs steps: of a machine, or one of those that concern the whole cluster. */
type Wish =
    | `host ${string}`
    | `node ${string}`
    | `etcd ${string}`
    | "storage"
    | "backups"
    | "network"
    | "cloudProvider"
    | "endpoint"
    | "end";

export interface WishesRequest {
    args: KubernetesClusterArgs;
    /** Name of the cluster resource. */
    name: string;
    infrastructure: Pick<Infrastructure, "nodes" | "addresses" | "cloudProvider">;
    files: Files;
}

/**
 * See WishesInput: of each resource that runs steps, a hash of the steps' fingerprints. What the cluster and the cloud
 * assign is replaced by the same placeholders in each run: it never goes back to a former value, and the start of an
 * operation cannot wait for it.
 */
export function wishesOf(
    { args, name, infrastructure, files }: WishesRequest,
    key: pulumi.Output<string>,
): pulumi.Output<Record<string, string>> {
    const { nodes, addresses = placeholders(args, nodes), cloudProvider } = infrastructure;
    const shape = clusterPlan(args, name, { nodes, addresses }, files);
    const { cni, end } = shape;
    const identity = sampleIdentity("cluster");
    const { clusterId, caCertHash } = identity;
    const specs: [Wish, object][] = [
        ...nodes.flatMap(({ name: node, role }): [Wish, object][] => [
            [`host ${node}`, { ...shape.hosts[node], clusterId, caCertHash }],
            [
                `node ${node}`,
                { ...shape.nodes[node], clusterId, identity, ...(role === "controlPlane" && { keys: sampleKeys }) },
            ],
        ]),
        ...etcdBackupSpecs(args.etcdBackup, nodes).map((spec): [Wish, object] => [
            `etcd ${spec.name}`,
            { ...spec, clusterId },
        ]),
        ...storageSpec(args, clusterId),
        ["network", { ...cni, clusterId }],
        ...(cloudProvider ? [["cloudProvider", { ...cloudProvider, clusterId }] satisfies [Wish, object]] : []),
        ["endpoint", end],
        ["end", { ...end, clusterId }],
    ];
    return keyedHashes(Object.fromEntries(specs), key, fingerprints);
}

/** The input of a resource that runs steps. Undefined until the program asks for something else of the resource. At preview it is never unknown: that would hide what the resource does. */
export function changeNumberOf({ record }: Pick<Cluster, "record">, wish: Wish): pulumi.Output<number | undefined> {
    return orPlaceholder(record.changeNumbers, {}).apply(numbers => numbers?.[wish]);
}

const factories = {
    host: hostSteps,
    node: nodeSteps("join"),
    etcd: etcdBackupSteps,
    storage: storageSteps,
    backups: storageBackupSteps,
    network: networkSteps,
    cloudProvider: cloudProviderSteps,
    endpoint: [],
    end: operationEndSteps,
};

/** Not all steps of a machine know its address and the endpoint, and each of them is another place. */
function fingerprints(spec: unknown, wish: string, key: string): unknown[] {
    const [kind] = wish.split(" ") as [keyof typeof factories];
    const steps = plan(factories[kind] as StepFactory<object>[], spec as object, key);
    const { address, role, endpoint } = spec as Partial<NodeSpec>;
    const moves = kind === "endpoint" || kind === "host" || (kind === "node" && role === "controlPlane");
    return [...steps.map(step => step.fingerprint), address, ...(moves ? [endpoint?.host, endpoint?.port] : [])];
}

const storagePlaceholder = "192.0.2.252";

function storageSpec({ storage, proxy }: KubernetesClusterArgs, clusterId: string): [Wish, object][] {
    if (storage?.server === undefined) return [];
    const { address = storagePlaceholder } = storage.server;
    const server = { ...storagePlan(storage, { name: storageNode, address, proxy }), clusterId };
    return [["storage", server], ...(server.backups ? [["backups", server] satisfies [Wish, object]] : [])];
}

/** By name, so that a further node changes none of the others'. */
function placeholders({ controlPlane }: KubernetesClusterArgs, nodes: readonly NodeName[]): Addresses {
    return {
        nodes: Object.fromEntries(nodes.map(({ name }) => [name, placeholder(name)])),
        apiHost: "192.0.2.253",
        storage: storagePlaceholder,
        ...(controlPlane?.endpoint?.external === undefined && { vip: { address: "192.0.2.254", prefixLength: 24 } }),
    };
}

function placeholder(name: string): string {
    return `10.${[...createHash("sha256").update(name).digest().subarray(0, 3)].join(".")}`;
}
