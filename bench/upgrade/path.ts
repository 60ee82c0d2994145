import { kindOf, type MachineKind, type RecordedSteps } from "../recorded-steps";
import { names } from "../simulation/simulated-cluster";

export interface Shape {
    masters: number;
    workers: number;
    /** Workers that move at the same time. */
    atOnce: number;
}

/** Steps of a Host that put a version on a machine, without effect. */
export const staging = ["host.kubernetes-binaries", "host.cni-plugins", "host.images"];

/** Of all nodes, in the order in which kubeadm's documentation upgrades them. */
export const nodesOf = ({ masters, workers }: Pick<Shape, "masters" | "workers">) => [
    ...names("m", masters),
    ...names("w", workers),
];

/** The steps that stage, from a recording of machines that install everything. */
export function stagingSeconds({ seconds }: Pick<RecordedSteps, "seconds">): Record<MachineKind, number> {
    const of = (kind: MachineKind) => sum(staging.map(step => seconds[kind][step] ?? 0));
    return { first: of("first"), master: of("master"), worker: of("worker") };
}

/**
 * What no order of work can avoid: all machines stage at once, then the control-plane nodes move one after another, then workers, as many at once as
 * may be away.
 */
export function unavoidable(
    { masters, workers, atOnce }: Shape,
    stages: Record<MachineKind, number>,
    moves: RecordedSteps["seconds"],
): number {
    const move = (kind: MachineKind) => sum(Object.values(moves[kind]));
    const kinds = nodesOf({ masters, workers }).map(kindOf);
    const controlPlane = sum(kinds.filter(kind => kind !== "worker").map(move));
    return Math.max(...kinds.map(kind => stages[kind])) + controlPlane + Math.ceil(workers / atOnce) * move("worker");
}

/** Commands of a person, node after node: [node, command, seconds]. */
export function byHandCommands(
    shape: Pick<Shape, "masters" | "workers">,
    stages: Record<MachineKind, number>,
    commands: RecordedSteps["seconds"],
): [string, string, number][] {
    return nodesOf(shape).flatMap(node => {
        const kind = kindOf(node);
        const own = Object.entries(commands[kind]).map(([command, seconds]) => [node, command, seconds] as const);
        return [[node, "stage", stages[kind]] as const, ...own].map(each => [...each] as [string, string, number]);
    });
}

export const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
