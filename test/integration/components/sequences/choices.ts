import { isPossible, machineOf, mastersOf, nodesOf, type Program, workersOf } from "./program";
import type { Random } from "./random";

/** What goes wrong during a run. */
export type Fault =
    | { kind: "step"; machine: string; step: string }
    | { kind: "act"; act: string; effect: "before" | "after" }
    | { kind: "away"; machine: string; after: number }
    | { kind: "kill"; after: number };

type Change = (program: Program, random: Random) => Partial<Program>;

const changes: Record<string, Change> = {
    "control plane": ({ masters }, random) => ({ masters: random.of([1, 3, 5].filter(count => count !== masters)) }),
    workers: ({ workers }, random) => ({ workers: random.of([0, 1, 2, 3, 4].filter(count => count !== workers)) }),
    "remove a worker": (program, random) => {
        const present = workersOf(program);
        if (present.length === 0) return {};
        const workers = random.isTrue(0.7) ? program.workers - 1 : program.workers;
        return { workers, remove: [...program.remove, random.of(present)] };
    },
    "remove a master": (program, random) => {
        const masters = random.isTrue(0.5) ? Math.max(1, program.masters - 2) : program.masters;
        return { masters, remove: [...program.remove, random.of(mastersOf(program))] };
    },
    "take a name out of remove": ({ remove }, random) =>
        remove.length === 0 ? {} : { remove: remove.filter(name => name !== random.of(remove)) },
    labels: ({ labels }) => ({ labels: labels + 1 }),
    kubelet: ({ kubelet }) => ({ kubelet: kubelet + 1 }),
    "API server": ({ apiServer }) => ({ apiServer: apiServer + 1 }),
    "another machine": (program, random) => {
        const present = Object.keys(nodesOf(program));
        const name = random.of(present);
        const { moved } = program;
        return { moved: moved.includes(name) ? moved.filter(each => each !== name) : [...moved, name] };
    },
};

/** The next program: one change, sometimes two. It keeps a control-plane node where it is, as each program must. */
export function nextProgram(before: Program, random: Random): Program {
    for (;;) {
        let after = before;
        for (const _ of random.isTrue(0.25) ? [1, 2] : [1])
            after = { ...after, ...changes[random.of(Object.keys(changes))]!(after, random) };
        const isChanged = JSON.stringify(after) !== JSON.stringify(before);
        if (isChanged && isPossible(after) && keepsMaster(before, after) && namesNodes(before, after)) return after;
    }
}

/** A name that is new in `remove` is one of a node: two changes at once may name one that never was, which is refused. */
const namesNodes = (before: Program, after: Program): boolean =>
    after.remove.every(name => before.remove.includes(name) || name in nodesOf(before));

/** Moved control-plane nodes need another one that stays, and one at a time moves. */
function keepsMaster(before: Program, after: Program): boolean {
    const both = mastersOf(before).filter(name => mastersOf(after).includes(name));
    const moves = both.filter(name => machineOf(before, name) !== machineOf(after, name));
    return both.length - moves.length > 0 && moves.length <= 1;
}

const steps = [
    ...["host.hostname", "host.sysctls", "host.container-runtime-config", "host.haproxy", "host.keepalived"],
    ...["node.kubernetes-version", "node.kubeadm-files", "cluster.join", "node.api-server-ready"],
    ...["node.control-plane-settings", "node.kubelet-settings"],
];
const acts = [
    "node.drain",
    "node.leave",
    "node.leave-etcd",
    "node.delete-object",
    "node.reset",
    "host.reset",
    "node.labels",
];

/** What goes wrong in half of the runs. */
export function nextFault(before: Program, after: Program, random: Random): Fault | undefined {
    if (random.isTrue(0.4)) return undefined;
    const involved = [...new Set([...Object.values(nodesOf(before)), ...Object.values(nodesOf(after))])];
    const faults: (() => Fault)[] = [
        () => ({ kind: "step", machine: random.of(involved), step: random.of(steps) }),
        () => ({ kind: "act", act: random.of(acts), effect: random.of(["before", "after"] as const) }),
        () => ({ kind: "kill", after: random.below(40) }),
        () => ({ kind: "kill", after: random.below(150) }),
        () => ({ kind: "away", machine: random.of(involved), after: random.below(60) }),
    ];
    return random.of(faults)();
}
