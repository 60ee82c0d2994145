import { type Condition, conditionOf, type Seen, type SeenEvent, type WorkloadSeen } from "./workload-seen";

/** What a workload cluster is doing. */
export interface WorkloadState {
    ready: boolean;
    /** One line for the progress: "control plane 1 of 3, pool md 0 of 2; Machine core-md-x: its server is being made". */
    text: string;
}

/**
 * Whether the cluster is as its objects say: all machines are there, of the wanted version, ready, and none is on its way. A condition counts
 * only if it is of the newest generation: the former "available" is no answer to a new version.
 */
export function workloadState({ cluster, controlPlane, pools, machines }: WorkloadSeen): WorkloadState {
    if (cluster === undefined) return { ready: false, text: "the Cluster does not exist yet" };
    const sets = [...(controlPlane ? [controlPlane] : []), ...pools];
    const counts = sets.map(set => `${titleOf(set, cluster)} ${upToDate(set)} of ${set.spec?.replicas ?? 0}`);
    const why = [
        ...sets.flatMap(set => whyNotDone(set)),
        ...machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(leaving),
        ...notTrue(cluster, "Available"),
    ];
    const text = [counts.join(", "), why[0] ?? "all machines are ready"].filter(part => part !== "").join("; ");
    return { ready: why.length === 0, text };
}

/** How many of its machines are of the newest kind. */
const upToDate = ({ status }: Seen) => status?.upToDateReplicas ?? 0;

/** "control plane", or "pool md" for a MachineDeployment core-md of the Cluster core. */
export function titleOf({ kind, metadata }: Seen, cluster: Seen): string {
    if (kind !== "MachineDeployment") return "control plane";
    const start = `${cluster.metadata.name}-`;
    return `pool ${metadata.name.startsWith(start) ? metadata.name.slice(start.length) : metadata.name}`;
}

function whyNotDone(set: Seen): string[] {
    const { metadata, spec, status } = set;
    const name = `${set.kind} ${metadata.name}`;
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
        return [`${name}: its controller has not seen it yet`];
    const wanted = spec?.replicas ?? 0;
    const moving = ["RollingOut", "ScalingUp", "ScalingDown", "Remediating"].flatMap(type => {
        const condition = conditionOf(set, type);
        return condition?.status === "True" ? [`${name}: ${type}${wordsOf(condition)}`] : [];
    });
    if (moving.length > 0) return moving;
    const numbers = [status?.replicas, status?.upToDateReplicas, status?.readyReplicas].map(each => each ?? 0);
    if (numbers.some(number => number !== wanted)) {
        return [`${name}: ${numbers[2]} of ${wanted} machines are ready${wordsOf(conditionOf(set, "MachinesReady"))}`];
    }
    return notTrue(set, "Available");
}

function notTrue(seen: Seen, type: string): string[] {
    const condition = conditionOf(seen, type);
    const isNew = (condition?.observedGeneration ?? 0) >= (seen.metadata.generation ?? 0);
    if (condition?.status === "True" && isNew) return [];
    const said = condition === undefined ? ": it has no condition of that name yet" : wordsOf(condition);
    return [`${seen.kind} ${seen.metadata.name} is not ${type}${said}`];
}

const leaving = ({ metadata: { name }, status }: Seen) =>
    `Machine ${name} leaves${wordsOf(status?.conditions?.find(each => each.type === "Deleting"))}`;

/** Messages of Cluster API have several lines with stars. */
export function wordsOf(condition: Condition | undefined): string {
    if (condition === undefined) return "";
    const message = (condition.message ?? "")
        .replace(/\s*\n\s*/g, " ")
        .replace(/(^|\s)\* /g, "$1")
        .trim();
    const words = [condition.reason, message].filter(part => part !== undefined && part !== "").join(": ");
    return words === "" ? "" : `: ${words}`;
}

/** All that hinders the cluster, for an error: each object that is not well with its condition, then the warnings of controllers. */
export function whatHinders({ cluster, controlPlane, pools, machines, warnings }: WorkloadSeen): string {
    if (cluster === undefined) return "the Cluster does not exist";
    const objects = [cluster, ...(controlPlane ? [controlPlane] : []), ...pools, ...machines];
    const lines = objects.flatMap(seen => {
        const bad = (seen.status?.conditions ?? []).filter(
            ({ type, status }) => good[type] !== undefined && status !== good[type],
        );
        return bad.map(
            condition =>
                `${seen.kind} ${seen.metadata.name}: ${condition.type} is ${condition.status}${wordsOf(condition)}`,
        );
    });
    const said = newestFirst(warnings).map(sentenceOf);
    const all = [...new Set(lines)].slice(0, 14).concat([...new Set(said)].slice(0, 8));
    return all.join("\n") || "no object of it has a condition yet: does Cluster API run?";
}

/** Conditions that say whether something is well, and the status that does. */
const good: Record<string, string> = {
    ...{
        Available: "True",
        Ready: "True",
        InfrastructureReady: "True",
        BootstrapConfigReady: "True",
        NodeHealthy: "True",
    },
    ...{ ControlPlaneInitialized: "True", Initialized: "True", EtcdClusterHealthy: "True", TopologyReconciled: "True" },
};

export const newestFirst = (events: readonly SeenEvent[]) => [...events].sort((a, b) => (a.at < b.at ? 1 : -1));

/** "OpenStackServer core-md-x said: in the controller's log: no flavors were found". */
export const sentenceOf = ({ object, reason, message }: SeenEvent) => `${object} said: ${reason}: ${message}`;
