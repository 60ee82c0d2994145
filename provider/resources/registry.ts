import type { ResourceType } from "./types";

/**
 * Every resource type by its name in states: names may be added, but never renamed or removed. Each type is loaded on
 * demand: most previews find no change and need no code that makes changes.
 */
export const resourceTypes = {
    get BundleImages() {
        return (require("./bundle-images") as typeof import("./bundle-images")).bundleImages;
    },
    get CloudCheck() {
        return (require("./cloud-check") as typeof import("./cloud-check")).cloudCheck;
    },
    get CloudLeftovers() {
        return (require("./cloud-leftovers") as typeof import("./cloud-leftovers")).cloudLeftovers;
    },
    get CloudProvider() {
        return (require("./cloud-provider") as typeof import("./cloud-provider")).cloudProvider;
    },
    get ClusterId() {
        return (require("./cluster-id") as typeof import("./cluster-id")).clusterIdResource;
    },
    get ClusterKeys() {
        return (require("./cluster-keys") as typeof import("./cluster-keys")).clusterKeys;
    },
    get ClusterNetwork() {
        return (require("./cluster-network") as typeof import("./cluster-network")).clusterNetwork;
    },
    get CnfNamespace() {
        return (require("./cnf-namespace") as typeof import("./cnf-namespace")).cnfNamespace;
    },
    get CnfObjects() {
        return (require("./cnf-objects") as typeof import("./cnf-objects")).cnfObjects;
    },
    get Host() {
        return (require("./host") as typeof import("./host")).host;
    },
    get Masters() {
        return (require("./masters") as typeof import("./masters")).masters;
    },
    get Membership() {
        return (require("./membership") as typeof import("./membership")).membership;
    },
    get Node() {
        return (require("./node") as typeof import("./node")).node;
    },
    get OperationEnd() {
        return (require("./operation-end") as typeof import("./operation-end")).operationEnd;
    },
    get OperationStart() {
        return (require("./operation-start") as typeof import("./operation-start")).operationStart;
    },
    get OwnerMark() {
        return (require("./owner-mark") as typeof import("./owner-mark")).ownerMark;
    },
    get ProjectGuard() {
        return (require("./project-guard") as typeof import("./project-guard")).projectGuard;
    },
    get ServerKeys() {
        return (require("./server-keys") as typeof import("./server-keys")).serverKeys;
    },
    get VimRegistration() {
        return (require("./vim") as typeof import("./vim")).vim;
    },
};

export type ResourceTypeName = keyof typeof resourceTypes;

/** The type of this name, with plain objects as inputs and state. */
export function resourceType(name: string): ResourceType<object, object> {
    const type = Object.hasOwn(resourceTypes, name) ? resourceTypes[name as ResourceTypeName] : undefined;
    if (type === undefined) {
        const known = Object.keys(resourceTypes).join(", ");
        throw new Error(
            `This version of pulumi-nfv has no resource type "${name}", only ${known}. Is an older one installed?`,
        );
    }
    return type as unknown as ResourceType<object, object>;
}
