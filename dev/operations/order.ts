import { actsBetween, type Recorded, type RecordedAct } from "./acts";

/** What one run of a program does, and what waits for what. */
export interface RecordedRun {
    acts: readonly RecordedAct[];
    /** Deletions for which nothing is done, because they go together with another one. */
    together: readonly RecordedAct[];
    /** Whether the engine begins the one only after the other has ended. A deletion waits for all that is no deletion. */
    waitsFor(one: RecordedAct, other: RecordedAct): boolean;
    /** The same, and no third act is between them. */
    waitsDirectly(one: RecordedAct, other: RecordedAct): boolean;
    /** The node that a resource belongs to. */
    machineOf(act: RecordedAct): string | undefined;
}

/** The run that leads from one program to the other; empty: there is no cluster. Pure. */
export function runBetween(before: readonly Recorded[], after: readonly Recorded[]): RecordedRun {
    const all = actsBetween(before, after);
    const gone = new Set(all.filter(({ kind }) => kind === "delete").map(({ resource }) => resource.label));
    const goesWith = ({ kind, resource }: RecordedAct) => kind === "delete" && gone.has(resource.deletedWith);
    const acts = all.filter(each => !goesWith(each));
    const [behindBefore, behindAfter] = [edgesOf(before), edgesOf(withRegistrations(after))];
    const waitsFor = (one: RecordedAct, other: RecordedAct) => {
        const [goes, otherGoes] = [one, other].map(({ kind }) => kind === "delete");
        if (goes !== otherGoes) return goes === true;
        if (goes) return behindBefore(other.resource.label).has(one.resource.label);
        return behindAfter(one.resource.label).has(other.resource.label);
    };
    const machines = [...before, ...after]
        .filter(({ label }) => label.startsWith("Host "))
        .map(({ label }) => label.split(" ")[1]!);
    return {
        acts,
        together: all.filter(goesWith),
        waitsFor,
        waitsDirectly: (one, other) =>
            waitsFor(one, other) && !acts.some(third => waitsFor(one, third) && waitsFor(third, other)),
        machineOf: ({ resource }) => {
            const name = resource.label.split(" ")[1]!;
            return machines.find(machine => name === machine || name.startsWith(`${machine}-`));
        },
    };
}

/** What a program registers only when the operation has ended waits for that without an edge. */
function withRegistrations(all: readonly Recorded[]): Recorded[] {
    const end = all.findIndex(({ label }) => label.startsWith("OperationEnd "));
    return all.map((each, i) => (end < 0 || i <= end ? each : { ...each, after: [...each.after, all[end]!.label] }));
}

/** Label → labels of all that it waits for, directly and indirectly. */
function edgesOf(all: readonly Recorded[]): (label: string) => ReadonlySet<string> {
    const byLabel = new Map(all.map(each => [each.label, each]));
    const found = new Map<string, Set<string>>();
    const behind = (label: string): Set<string> => {
        const known = found.get(label);
        if (known !== undefined) return known;
        const labels = new Set<string>();
        found.set(label, labels);
        for (const next of byLabel.get(label)?.after ?? []) {
            labels.add(next);
            for (const further of behind(next)) labels.add(further);
        }
        return labels;
    };
    return behind;
}
