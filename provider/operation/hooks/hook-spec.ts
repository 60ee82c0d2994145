import type { HookEvent } from "./events";
import type { TackerSettings } from "./tacker/settings";

/** How a hook is given. */
export type HookKind = "module" | "script" | "manifests" | "tacker";

/** The nodes on which a script runs: all that fit each given property. */
export interface NodeSelection {
    role?: "controlPlane" | "worker";
    pool?: string;
    names?: string[];
    /** Only the first of them, in natural order (w2 before w10). */
    first?: boolean;
}

/** Of a Tacker script. */
export interface TackerHook extends Omit<TackerSettings, "newPackageFolder"> {
    script?: string;
    python?: string;
    newPackage?: string;
}

/** One hook, as the provider gets it. */
export interface HookSpec {
    name: string;
    kind: HookKind;
    /** Paths, as the program gives them: relative ones start from the program's folder. */
    files: string[];
    /** The contents of the files: the first 12 hex digits of their SHA-256. */
    hash: string;
    /** Undefined: the module or the package says it. */
    events?: HookEvent[];
    /** Of a script. Undefined: it runs on the operator's machine. */
    nodes?: NodeSelection;
    /** Of manifests. @default "apply" */
    action?: "apply" | "delete";
    parameters?: Record<string, unknown>;
    /** Deadline of one attempt, in seconds. */
    timeoutSeconds: number;
    /** How often a failed attempt is repeated in the same run. */
    retries: number;
    tacker?: TackerHook;
}

/** "script ./check.sh" */
export function titleOf({ kind, files, action }: HookSpec): string {
    const what = kind === "manifests" && action === "delete" ? "delete manifests" : kind;
    return `${what} ${files.join(", ")}`;
}

/** Where it runs, for a person. */
export function placeOf({ kind, nodes }: HookSpec): string {
    if (kind === "manifests") return "in the cluster";
    if (kind !== "script" || nodes === undefined) return "on this machine";
    const { role, pool, names, first } = nodes;
    const parts = [
        ...(names === undefined ? [] : [names.join(", ")]),
        ...(pool === undefined ? [] : [`pool ${pool}`]),
        ...(role === undefined ? [] : [role === "worker" ? "workers" : "control-plane nodes"]),
    ];
    const which = parts.length === 0 ? "all nodes" : parts.join(", ");
    return first === true ? `on the first of: ${which}` : `on ${which}`;
}
