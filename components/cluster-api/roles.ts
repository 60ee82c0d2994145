import type { Role } from "../../provider/cluster-api/workload/workload-roles";
import type { Named } from "./machine-template";

interface MachineSpec {
    version?: string;
    infrastructureRef?: { name?: string };
    bootstrap?: { configRef?: { name?: string } };
}

interface SetSpec {
    replicas?: number;
    version?: string;
    machineTemplate?: { spec?: MachineSpec; infrastructureRef?: { name?: string } };
    kubeadmConfigSpec?: unknown;
    template?: { spec?: MachineSpec };
}

/** What decides whether Cluster API replaces machines, read from the objects that make them. `hash`: of a content without a name. */
export function rolesOf(
    cluster: string,
    objects: readonly Named[],
    hash: (content: unknown) => string,
): Record<string, Role> {
    return Object.fromEntries(
        objects.flatMap((object): [string, Role][] => {
            const spec = (object["spec"] ?? {}) as SetSpec;
            const replicas = spec.replicas ?? -1;
            if (object.kind === "KubeadmControlPlane") {
                const { machineTemplate: machine, version = "" } = spec;
                const servers = machine?.spec?.infrastructureRef?.name ?? machine?.infrastructureRef?.name ?? "";
                return [["control-plane", { version, servers, config: hash(spec.kubeadmConfigSpec), replicas }]];
            }
            if (object.kind !== "MachineDeployment") return [];
            const { version = "", infrastructureRef, bootstrap } = spec.template?.spec ?? {};
            const { name } = object.metadata;
            const pool = name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name;
            return [
                [
                    pool,
                    {
                        version,
                        servers: infrastructureRef?.name ?? "",
                        config: bootstrap?.configRef?.name ?? "",
                        replicas,
                    },
                ],
            ];
        }),
    );
}
