import type { Question } from "../harness";

/** One change of a cluster that is compared. */
export interface Change {
    title: string;
    /** Words of by-hand.sh. */
    byHand: string[];
    /** Of the program: how many workers it has. */
    workers: number;
    /** The node whose Node resource is replaced in that run: it leaves and joins again. */
    replace?: string;
}

/** In the order in which a round does them: each begins where the one before ended. The last worker and the last master change. */
export function changesOf(masters: readonly string[], workers: readonly string[]): Change[] {
    const [master, worker] = [masters.at(-1)!, workers.at(-1)!];
    return [
        { title: "a worker out", byHand: ["out", worker], workers: workers.length - 1 },
        { title: "a worker in", byHand: ["in", worker], workers: workers.length },
        { title: "a master healed", byHand: ["heal", master], workers: workers.length, replace: master },
    ];
}

export const sideOf = {
    ours: ({ title }: Change) => `${title}: pulumi up`,
    byHand: ({ title }: Change) => `${title}: by hand`,
};

/** A run that changes nothing: each change takes at least that long. */
export const noChange = "nothing to do: pulumi up";

/** Each change against the same by hand; before them, a run without a change against the shortest of them. */
export const questionsOf = (changes: readonly Change[]): Question[] => [
    { ours: noChange, rival: sideOf.byHand(changes[0]!) },
    ...changes.map(change => ({ ours: sideOf.ours(change), rival: sideOf.byHand(change), goal: { atMost: 1.2 } })),
];

/** The URN of a node's resource in an exported stack. */
export function urnOf(exported: string, type: "Host" | "Node", name: string): string {
    const { resources } = JSON.parse(exported).deployment as { resources: { urn: string }[] };
    const found = resources.find(({ urn }) => urn.endsWith(`nfv:${type}::core-${name}`));
    if (found === undefined) throw new Error(`the stack has no ${type} of ${name}`);
    return found.urn;
}
