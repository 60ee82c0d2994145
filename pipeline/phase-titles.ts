import { phaseLists } from "../provider/lifecycle/phases";
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

/** Each phase once, in the order of the lists. */
const phases: Titled[] = phaseLists.flatMap(({ kind, phases: all }) =>
    all.map(({ title, by, act = kind === "terminate" ? "delete" : "apply", role }) => ({ title, by, act, role })),
);

/**
 * The title of the phase in which a resource of this package is acted on: "prepare the machines". Undefined: no list
 * names it. Pure.
 */
export function phaseOf(type: string, act: Act, role: string | undefined): string | undefined {
    if (act === "read") return undefined;
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
