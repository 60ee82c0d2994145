/** What the machines of a role are made of. */
export interface Role {
    /** "v1.36.3"; "" if the program does not say. */
    version: string;
    /** Names of the templates, which contain hashes of their contents. */
    servers: string;
    config: string;
    /** -1: an autoscaler decides. */
    replicas: number;
}

/** What a change means for the machines, one line for each role: shown in preview. Pure. */
export function whatRolls(
    cluster: string,
    before: Record<string, Role> | undefined,
    after: Record<string, Role>,
): string[] {
    if (before === undefined) return [];
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap(name => {
        const what = rollOf(before[name], after[name]);
        return what === undefined ? [] : [`${cluster}: ${titleOf(name)}: ${what}`];
    });
}

const titleOf = (role: string) => (role === "control-plane" ? "control plane" : `pool ${role}`);
const machines = (count: number) => (count === -1 ? "all machines" : count === 1 ? "1 machine" : `${count} machines`);

function rollOf(before: Role | undefined, after: Role | undefined): string | undefined {
    if (before === undefined) return `${machines(after!.replicas)} will be made`;
    if (after === undefined) return `${machines(before.replicas)} will be removed`;
    const reasons = [
        before.version !== after.version && `Kubernetes ${before.version} → ${after.version}`,
        before.servers !== after.servers && "other servers (flavor, image, volumes, ports)",
        before.config !== after.config && "other settings of kubeadm",
    ].filter(reason => reason !== false);
    const more = after.replicas - before.replicas;
    const wasCounted = before.replicas !== -1;
    const isCounted = after.replicas !== -1;
    const counted = wasCounted && isCounted ? more : 0;
    const parts = [
        ...(reasons.length > 0
            ? [`${machines(before.replicas)} will be replaced, one after the other: ${reasons.join(", ")}`]
            : []),
        ...(counted > 0 ? [`${machines(counted)} will be added`] : []),
        ...(wasCounted && !isCounted ? ["an autoscaler may change the number of machines"] : []),
        ...(!wasCounted && isCounted ? [`${machines(after.replicas)}, whatever an autoscaler has set`] : []),
        ...(counted < 0 ? [`${machines(-counted)} will be removed`] : []),
    ];
    return parts.length === 0 ? undefined : parts.join("; ");
}
