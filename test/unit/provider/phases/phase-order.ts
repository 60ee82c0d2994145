import { type Phase, reference, type Which } from "../../../../provider/phases/phase";
import type { PhaseList } from "../../../../provider/phases/phases";
import type { Registered } from "../../components/recorder";
import type { Recorded } from "./phase-programs";

export const typeOf = ({ type }: Registered) => type.slice(type.lastIndexOf(":") + 1);
export const actOf = ({ act = "apply" }: Phase) => act;
const removes = (phase: Phase) => actOf(phase) !== "apply";
export const isIn = ({ on }: { on?: PhaseList["on"] }, { backEnd }: Recorded) =>
    on === undefined || on.includes(backEnd);
const roleOf = ({ label }: Registered) => (/-(m|control-plane-)\d+$/.test(label) ? "controlPlane" : "worker");

const isOfStorageServer = ({ type, label }: Registered) =>
    type.startsWith("openstack:") && / \S+-storage(-|$)/.test(label);

export const resourcesOf = ({ by, role, only }: Phase, { resources }: Recorded) =>
    resources.filter(
        each =>
            by.includes(typeOf(each)) &&
            (role === undefined || roleOf(each) === role) &&
            isOfStorageServer(each) === (only === "storage server"),
    );

type Pair = [later: Registered, earlier: Registered];

/** The resources of two phases of which one must wait for the other. */
function pairs(program: Recorded, later: Phase, earlier: Phase, which: Which): Pair[] {
    const [ends, begins] = [resourcesOf(earlier, program), resourcesOf(later, program)];
    const of = (each: Registered) => program.machineOf(each);
    const hasNodes = (all: Registered[]) => all.some(each => of(each) !== undefined);
    const hasMachines = hasNodes(ends) && hasNodes(begins);
    const isOfRole = (each: Registered) => roleOf(each) === (later.role ?? "controlPlane");
    const table: Record<Which, (pair: Pair) => boolean> = {
        all: () => true,
        own: ([one, other]) => !hasMachines || (of(one) !== undefined && of(one) === of(other)),
        registered: () => true,
        role: ([, other]) => isOfRole(other),
        first: ([, other]) => ends.every(each => each === other || program.waitsFor(each, other)),
    };
    return begins.flatMap(one => ends.map((other): Pair => [one, other])).filter(table[which]);
}

/** Whether the engine keeps this order. */
function isKept(program: Recorded, later: Phase, earlier: Phase, [one, other]: Pair): boolean {
    const { waitsFor, resources } = program;
    if (actOf(later) === "replace" && !removes(earlier)) {
        // The engine deletes a resource and what depends on it when the program registers the first of them.
        const first = resources.filter(
            each =>
                later.before!.includes(typeOf(each)) &&
                (each === one || waitsFor(one, each)) &&
                program.machineOf(each) === program.machineOf(one),
        );
        const root = first.find(each => first.every(next => next === each || waitsFor(next, each)));
        return root?.deleteBeforeReplace === true && waitsFor(root, other);
    }
    // Replacements of different machines do not wait for each other.
    const areReplaced = [later, earlier].every(each => actOf(each) === "replace");
    if (areReplaced && program.machineOf(one) !== program.machineOf(other)) return false;
    // Deletions come in the reverse order of the edges.
    if (removes(later) && removes(earlier)) return waitsFor(other, one);
    // The engine deletes what the program no longer has after everything else.
    if (removes(later)) return true;
    // Deleted before it is replaced.
    if (removes(earlier)) return one === other && one.deleteBeforeReplace;
    return waitsFor(one, other);
}

/** The recorder lists the resources as the program registers them. */
const isRegistered = ({ resources }: Recorded, [one, other]: Pair) => resources.indexOf(one) > resources.indexOf(other);

export const phasesIn = ({ phases }: PhaseList, program: Recorded) => phases.filter(phase => isIn(phase, program));

/** Orders of the list that the engine does not keep. */
export function brokenOrders(list: PhaseList, program: Recorded): string[] {
    const phases = phasesIn(list, program);
    return phases.flatMap((later, i) =>
        later.after.map(reference).flatMap(({ id, which }): string[] => {
            const at = phases.findIndex(each => each.id === id);
            if (at < 0) return [];
            const earlier = phases[at]!;
            const what = `${program.name}: ${later.id}, after ${id}`;
            if (at >= i) return [`${what}: comes later in the list`];
            const all = pairs(program, later, earlier, which);
            const exist = [later, earlier].every(each => resourcesOf(each, program).length > 0);
            if (all.length === 0 && exist) return [`${what}: no resource waits`];
            const others = pairs(program, later, earlier, "all").filter(
                pair => !all.some(each => each[0] === pair[0] && each[1] === pair[1]),
            );
            // With a single machine its own resources may be all.
            const hasSeveral = which !== "own" || new Set(resourcesOf(later, program).map(program.machineOf)).size > 1;
            if (hasSeveral && others.length > 0 && others.every(pair => isKept(program, later, earlier, pair)))
                return [`${what}: waits for all of it, not only for "${which}"`];
            return all
                .filter(
                    pair =>
                        !(which === "registered" ? isRegistered(program, pair) : isKept(program, later, earlier, pair)),
                )
                .map(([one, other]) => `${what}: ${one.label} does not wait for ${other.label}`);
        }),
    );
}

/** Resources that wait for resources of a later phase. */
export function waitsForLater(list: PhaseList, program: Recorded): string[] {
    return comparable(phasesIn(list, program)).flatMap(([later, earlier]) =>
        pairs(program, earlier, later, "all")
            .filter(pair => isKept(program, earlier, later, pair))
            .map(
                ([one, other]) => `${program.name}: ${earlier.id}, ${one.label}, waits for ${later.id}, ${other.label}`,
            ),
    );
}

/** Orders that all programs of a back end have, and the list does not. */
export function unsaidOrders(list: PhaseList, programs: readonly Recorded[]): string[] {
    const always = new Map<string, boolean>();
    for (const program of programs) {
        const phases = phasesIn(list, program);
        const known = closure(phases);
        for (const [later, earlier] of comparable(phases)) {
            if (known.get(later.id)!.has(earlier.id)) continue;
            const key = `${program.backEnd}: ${later.id} waits for ${earlier.id}: the list does not say so`;
            const all = pairs(program, later, earlier, "all");
            const isSo = all.length > 0 && all.every(pair => isKept(program, later, earlier, pair));
            always.set(key, isSo && always.get(key) !== false);
        }
    }
    return [...always].filter(([, isSo]) => isSo).map(([key]) => key);
}

/** Two phases of which the engine can order the resources by edges. */
function comparable(phases: readonly Phase[]): [later: Phase, earlier: Phase][] {
    return phases.flatMap((later, i) =>
        phases
            .slice(0, i)
            .filter(each => removes(each) === removes(later))
            .map((earlier): [Phase, Phase] => [later, earlier]),
    );
}

/** Ids of all phases that a phase waits for, directly and indirectly. */
function closure(phases: readonly Phase[]): Map<string, Set<string>> {
    const known = new Map<string, Set<string>>();
    for (const { id, after } of phases) {
        const direct = after.map(each => reference(each).id).filter(each => known.has(each));
        known.set(id, new Set(direct.flatMap(each => [each, ...known.get(each)!])));
    }
    return known;
}
