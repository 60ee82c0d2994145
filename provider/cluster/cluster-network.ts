import { tenantPolicies } from "../admission/tenants";
import type { TenantsSpec } from "../admission/tenants-spec";
import { applyPoliciesScript, virtualAddressPolicy } from "../admission/virtual-address";
import { type CniSpec, networkManifest } from "../network/manifests";
import {
    applyManifestScript,
    keepCoreDnsApartScript,
    missingObjectsScript,
    observeCoreDnsApart,
    observeManifest,
} from "../network/scripts";
import { type ClusterWideInputs, type ClusterWideState, clusterWide } from "../objects/cluster-wide";
import { query } from "../steps/query";
import { step } from "../steps/step";
import type { KnownStep } from "../steps/types";
import { addOnSteps } from "./add-ons";

export interface ClusterNetworkSpec extends CniSpec {
    clusterId: string;
    /**
     * At least two nodes can run CoreDNS, so its second replica waits for a second node instead of sharing the first.
     */
    coreDnsApart?: boolean;
    /** Virtual address of the API, which no Service may use. Undefined: there is none. */
    virtualAddress?: string;
    /** What tenants may use beyond their namespaces. */
    tenants: TenantsSpec;
}

export type ClusterNetworkInputs = ClusterWideInputs<ClusterNetworkSpec>;
export type ClusterNetworkState = ClusterWideState<ClusterNetworkSpec>;

/** An API server on a slow machine answers in seconds at first, not in milliseconds. */
const applySeconds = 180;

const applyNetwork = step<ClusterNetworkSpec>({ id: "cluster.network", title: "apply the pod network" })(spec => {
    const manifest = networkManifest(spec);
    if (manifest === "") return undefined;
    return {
        revision: 1,
        env: { MANIFEST: manifest },
        declaredState: { cluster: spec.clusterId, manifest },
        run: applyManifestScript,
        observe: observeManifest,
        timeoutSeconds: applySeconds,
    };
});

/** Done while CoreDNS still waits for the pod network: later its pods would have to be moved. */
const keepCoreDnsApart = step<ClusterNetworkSpec>({
    id: "cluster.coredns-apart",
    title: "keep CoreDNS's replicas apart",
})(spec =>
    spec.coreDnsApart
        ? {
              revision: 1,
              declaredState: { cluster: spec.clusterId },
              run: keepCoreDnsApartScript,
              observe: observeCoreDnsApart,
              timeoutSeconds: applySeconds,
          }
        : undefined,
);

const guardVirtualAddress = step<ClusterNetworkSpec>({
    id: "cluster.virtual-address",
    title: "keep Services from taking the virtual address",
})(({ clusterId, virtualAddress }) => {
    if (virtualAddress === undefined) return undefined;
    const manifest = virtualAddressPolicy(virtualAddress);
    return {
        revision: 1,
        env: { MANIFEST: manifest, VIP: virtualAddress },
        declaredState: { cluster: clusterId, manifest },
        run: applyPoliciesScript,
        observe: observeManifest,
        timeoutSeconds: applySeconds,
    };
});

const holdTenantsBack = step<ClusterNetworkSpec>({
    id: "cluster.tenants",
    title: "hold tenants back to their namespaces",
})(({ clusterId, tenants }) => {
    const manifest = tenantPolicies(tenants);
    return {
        revision: 1,
        env: { MANIFEST: manifest },
        declaredState: { cluster: clusterId, manifest },
        run: applyManifestScript,
        observe: observeManifest,
        timeoutSeconds: applySeconds,
    };
});

export const networkSteps: KnownStep<ClusterNetworkSpec>[] = [
    keepCoreDnsApart,
    applyNetwork,
    guardVirtualAddress,
    holdTenantsBack,
];

/** All objects that must still exist. */
function wholeManifest(spec: ClusterNetworkSpec): string {
    const { virtualAddress, tenants } = spec;
    const parts = [
        networkManifest(spec),
        virtualAddress === undefined ? "" : virtualAddressPolicy(virtualAddress),
        tenantPolicies(tenants),
    ];
    return parts.filter(part => part !== "").join("---\n");
}

/**
 * The pod network, and for a refresh what else kubeadm made in the cluster. It is applied as soon as the first control-plane node is ready, so that nodes become Ready as they
 * join.
 */
export const clusterNetwork = clusterWide({
    type: "network",
    factories: networkSteps,
    isThere: async (spec, master) => {
        const call = { step: "look at the pod network", script: missingObjectsScript, timeoutSeconds: 40 };
        return (await query(master, { ...call, env: { MANIFEST: wholeManifest(spec) } })).trim() === "";
    },
    compared: addOnSteps,
});
