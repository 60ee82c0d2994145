import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

export const group = "infrastructure.cluster.x-k8s.io";
export const version = "v1alpha1";

/** As clusterctl names the provider, and its version. */
export const labProvider = { label: "infrastructure-lab", version: "0.1.0" };

/** Core finds the version of a referenced kind by this label. https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview */
const contract = { "cluster.x-k8s.io/v1beta2": version };

/** Cluster API reads these objects by path, so a schema would serve only people. */
function definition(kind: string, { status }: { status: boolean }): object {
    const singular = kind.toLowerCase();
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    return {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${singular}s.${group}`, labels: contract },
        spec: {
            group,
            names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular, categories: ["cluster-api"] },
            scope: "Namespaced",
            versions: [
                {
                    name: version,
                    served: true,
                    storage: true,
                    ...(status && { subresources: { status: {} } }),
                    schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
                },
            ],
        },
    };
}

/** What a management cluster needs of the provider. Its controller is a process outside: see provider.ts. */
export const components: object[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "lab-system" } },
    definition("LabCluster", { status: true }),
    definition("LabClusterTemplate", { status: false }),
    definition("LabMachine", { status: true }),
    definition("LabMachineTemplate", { status: false }),
];

/** The components as a file of a release. Returns its path. */
export function writeComponents(folder: string): string {
    const file = join(folder, "infrastructure-components.yaml");
    writeFileSync(file, components.map(each => stringify(each)).join("---\n"));
    return file;
}
