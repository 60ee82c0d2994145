import type { Seen, WorkloadSeen } from "./workload-seen";

/** Whether an object is the cluster's, by its kind and name. */
export type IsOwn = (kind: string | undefined, name: string) => boolean;

interface Reference {
    kind?: string;
    name?: string;
}

/**
 * Which objects are the cluster's: those with its label, and what they refer to. Names do not say it: the machines of pool `b` of cluster `a` begin as
 * those of cluster `a-b` do. A machine's name has a random part, and what a provider makes for it has the same name, whatever its kind.
 */
export function ownNames({ cluster, controlPlane, pools, machines, others = [] }: WorkloadSeen): IsOwn {
    const sets = [...(cluster ? [cluster] : []), ...(controlPlane ? [controlPlane] : []), ...pools, ...others];
    const refer = cluster === undefined ? [] : referencesOf(cluster, "infrastructureRef", "controlPlaneRef");
    const known = new Set([
        ...sets.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
        ...refer.map(({ kind, name }) => `${kind} ${name}`),
    ]);
    const ofMachines = new Set(
        machines.flatMap(machine => [
            machine.metadata.name,
            ...referencesOf(machine, "infrastructureRef").flatMap(({ name }) => name ?? []),
            ...bootstrapOf(machine).flatMap(({ name }) => name ?? []),
        ]),
    );
    return (kind, name) => known.has(`${kind} ${name}`) || ofMachines.has(name);
}

const referencesOf = ({ spec }: Seen, ...fields: string[]): Reference[] =>
    fields.flatMap(field => (spec?.[field] as Reference | undefined) ?? []);

function bootstrapOf({ spec }: Seen): Reference[] {
    const { configRef } = (spec?.["bootstrap"] ?? {}) as { configRef?: Reference };
    return configRef === undefined ? [] : [configRef];
}
