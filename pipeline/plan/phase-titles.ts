import { phaseLists } from "../../provider/phases/phases";
import type { Act } from "./acts";

/** What the engine asks of a resource, and which act of a phase that is. */
const acts: Record<Exclude<Act, "read">, readonly string[]> = {
    create: ["apply"],
    update: ["apply"],
    replace: ["replace", "apply"],
    delete: ["delete", "apply"],
};

interface Titled {
    title: string;
    by: readonly string[];
    act: string;
    role?: string;
}

/** All phases, in the order of the lists. */
const phases: (Titled & { kind: string })[] = phaseLists.flatMap(({ kind, phases: all }) =>
    all.map(({ title, by, act = kind === "terminate" ? "delete" : "apply", role }) => ({ kind, title, by, act, role })),
);

/**
 * The title of the phase in which a resource of this package is acted on: "prepare the machines". Undefined: no list
 * names it. `clusterGoes`: its cluster is being terminated, where nothing leaves as in a scale in. Pure.
 */
export function phaseOf(
    type: string,
    act: Act,
    role: string | undefined,
    clusterGoes: boolean = false,
): string | undefined {
    if (act === "read") return undefined;
    if (clusterGoes && act === "delete") {
        const found = phases.find(({ kind, by }) => kind === "terminate" && by.includes(type));
        if (found) return found.title;
    }
    for (const wanted of acts[act]) {
        const found = phases.find(
            phase =>
                phase.act === wanted &&
                phase.by.includes(type) &&
                (phase.role === undefined || role === undefined || phase.role === role),
        );
        if (found) return found.title;
    }
    return undefined;
}
