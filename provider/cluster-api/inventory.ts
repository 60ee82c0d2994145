import type { KubeObject } from "../vim";
import { labelOf, providerLabel, providerTypes } from "./provider-names";
import type { ProviderName } from "./types";

const group = "clusterctl.cluster.x-k8s.io";

/** On all objects that clusterctl regards as its own: it deletes them with their provider. */
export const clusterctlLabel = group;
const inventoryLabels = { [`${group}/core`]: "inventory" };

const text = { type: "string" };

/** The kind in which clusterctl notes what is installed. */
export function inventoryDefinition(): KubeObject {
    return {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `providers.${group}`, labels: inventoryLabels },
        spec: {
            group,
            names: {
                ...{ kind: "Provider", listKind: "ProviderList", plural: "providers", singular: "provider" },
                categories: ["cluster-api"],
            },
            scope: "Namespaced",
            versions: [
                {
                    name: "v1alpha3",
                    served: true,
                    storage: true,
                    subresources: {},
                    schema: {
                        openAPIV3Schema: {
                            type: "object",
                            properties: {
                                ...{ apiVersion: text, kind: text, metadata: { type: "object" } },
                                ...{ providerName: text, type: text, version: text, watchedNamespace: text },
                            },
                        },
                    },
                    additionalPrinterColumns: [
                        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
                        { name: "Type", type: "string", jsonPath: ".type" },
                        { name: "Provider", type: "string", jsonPath: ".providerName" },
                        { name: "Version", type: "string", jsonPath: ".version" },
                    ],
                },
            ],
        },
    };
}

/** A provider's entry in the inventory. */
export function inventoryEntry(provider: ProviderName, namespace: string): KubeObject {
    const name = labelOf(provider);
    return {
        apiVersion: `${group}/v1alpha3`,
        kind: "Provider",
        metadata: {
            name,
            namespace,
            labels: { ...inventoryLabels, [clusterctlLabel]: "", [providerLabel]: name },
        },
        providerName: provider.name,
        type: providerTypes[provider.type].inventory,
        version: provider.version,
    };
}
