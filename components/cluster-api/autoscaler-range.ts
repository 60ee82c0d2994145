import type { Named } from "./machine-template";

const annotation = (what: "min" | "max") => `cluster.x-k8s.io/cluster-api-autoscaler-node-group-${what}-size`;

/** Annotations by which an autoscaler finds the pools that it scales. https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler/cloudprovider/clusterapi */
export const autoscalerRange = ({ min, max }: { min: number; max: number }): Record<string, string> => ({
    [annotation("min")]: `${min}`,
    [annotation("max")]: `${max}`,
});

const hasRange = (annotations: Readonly<Record<string, unknown>> = {}): boolean =>
    annotation("min") in annotations && annotation("max") in annotations;

interface Pool {
    name?: string;
    metadata?: { name?: string; annotations?: Record<string, unknown> };
    replicas?: unknown;
}

/** Titles of the pools that have both a range and a number: each time such an object is applied, the autoscaler's number would be set back. */
export function foughtOver(objects: readonly Named[]): string[] {
    return objects.flatMap(({ kind, metadata, ...rest }) => {
        const spec = (rest["spec"] ?? {}) as {
            replicas?: unknown;
            topology?: { workers?: { machineDeployments?: Pool[] } };
        };
        const { name, annotations } = metadata as { name: string; annotations?: Record<string, unknown> };
        if (kind === "MachineDeployment")
            return hasBoth({ ...spec, metadata: { ...(annotations && { annotations }) } })
                ? [`MachineDeployment ${name}`]
                : [];
        if (kind !== "Cluster") return [];
        const pools = spec.topology?.workers?.machineDeployments ?? [];
        return pools.filter(hasBoth).map(pool => `pool ${pool.name} of Cluster ${name}`);
    });
}

const hasBoth = ({ metadata, replicas }: Pool) => replicas !== undefined && hasRange(metadata?.annotations);
