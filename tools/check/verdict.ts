/** What was found on one machine. */
export interface Found {
    node: string;
    /** "kubelet-stopped"; "changed" if only the state shows it. */
    code: string;
    /** For a person. */
    text: string;
    /** What `pulumi up --refresh` does about it. */
    up?: string;
    /** What a person must do. Without this and `up` it follows from another finding of the node. */
    person?: string;
}

/** How much a pipeline may heal by itself. */
export interface HealLimits {
    /** Nodes in one run. @default 1 */
    atMost: number;
    /** Of all nodes, from 0 to 1. @default 0.34 */
    share: number;
}

export interface Verdict {
    /** Exit code of `nfv check`. */
    exitCode: number;
    name: "healthy" | "heal" | "too many" | "a person";
    reason: string;
}

/** The codes are part of the interface: pipelines decide by them. */
export const exitCodes = { healthy: 0, heal: 20, "too many": 21, "a person": 22 } as const;

export const usualLimits: HealLimits = { atMost: 1, share: 0.34 };

/**
 * Names of nodes that are to be healed. What others have changed (drift) is nothing that a node is healed for, and keeps no broken node from being healed: it counts only where
 * nothing else is found. Pure.
 */
export function healedBy(found: readonly Found[]): string[] {
    const [broken, drifted] = [nodesToHeal(found), found.filter(({ up }) => up !== undefined)];
    return broken.length > 0 ? broken : [...new Set(drifted.map(({ node }) => node))];
}

/** Those that a repair brings back: without nodes that have drift alone. Pure. */
export function nodesToHeal(found: readonly Found[]): string[] {
    return [...new Set(found.filter(({ up, code }) => up !== undefined && code !== "drift").map(({ node }) => node))];
}

/** What a pipeline should do about what was found on a cluster of so many nodes. Pure. */
export function verdictOn(found: readonly Found[], nodes: number, { atMost, share }: HealLimits): Verdict {
    const verdict = (name: Verdict["name"], reason: string): Verdict => ({ exitCode: exitCodes[name], name, reason });
    const names = (some: readonly Found[]) => [...new Set(some.map(({ node }) => node))];
    const healable = healedBy(found);
    // A finding that says nothing of a cure follows from another one of its node: a NotReady node whose kubelet does not run.
    const isConsequence = ({ node, person }: Found) => person === undefined && curable.includes(node);
    const curable = names(found.filter(({ up }) => up !== undefined));
    const hopeless = names(found.filter(each => each.up === undefined && !isConsequence(each)));
    const list = (some: readonly string[]) => `${some.length} of ${nodes} (${some.join(", ")})`;
    if (hopeless.length > 0) return verdict("a person", `pulumi up does not heal ${list(hopeless)}`);
    if (healable.length === 0) return verdict("healthy", "nothing was found");
    // One may always be healed: in a small cluster it is more than any share.
    const ofShare = Math.max(1, Math.floor(nodes * share));
    const allowed = Math.min(atMost, ofShare);
    if (healable.length > allowed) {
        const limit = atMost <= ofShare ? `--at-most ${atMost}` : `--share ${share}`;
        return verdict(
            "too many",
            `pulumi up --refresh would heal ${list(healable)}, but ${limit} allows ${allowed || "none"}`,
        );
    }
    return verdict("heal", `pulumi up --refresh heals ${list(healable)}`);
}
