import { bundleImages } from "./bundle-images";
import { cloudCheck } from "./cloud-check";
import { cloudLeftovers } from "./cloud-leftovers";
import { cloudProvider } from "./cloud-provider";
import { clusterIdentity } from "./cluster-identity";
import { clusterNetwork } from "./cluster-network";
import { host } from "./host";
import { node } from "./node";
import { operationEnd } from "./operation-end";
import { operationStart } from "./operation-start";
import { serverKeys } from "./server-keys";
import type { ResourceType } from "./types";
import { vim } from "./vim";

/** Every resource type by the name under which states know it: names may be added, never renamed or removed. */
export const resourceTypes = {
    BundleImages: bundleImages,
    CloudCheck: cloudCheck,
    CloudLeftovers: cloudLeftovers,
    CloudProvider: cloudProvider,
    ClusterIdentity: clusterIdentity,
    ClusterNetwork: clusterNetwork,
    Host: host,
    Node: node,
    OperationEnd: operationEnd,
    OperationStart: operationStart,
    ServerKeys: serverKeys,
    Vim: vim,
};

export type ResourceTypeName = keyof typeof resourceTypes;

/** The type by name, with its inputs and state as plain objects. */
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
