/** What was found on one machine. */
export interface Found {
    node: string;
    /** "kubelet-stopped"; "changed" if only the state shows it. */
    code: string;
    /** For a person. */
    text: string;
    /** What `pulumi up --refresh` does about it. */
    up?: string;
    /** What a person must do. */
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

/** What a pipeline should do about what was found on a cluster of so many nodes. Pure. */
export function verdictOn(found: readonly Found[], nodes: number, { atMost, share }: HealLimits): Verdict {
    const verdict = (name: Verdict["name"], reason: string): Verdict => ({ exitCode: exitCodes[name], name, reason });
    const names = (some: readonly Found[]) => [...new Set(some.map(({ node }) => node))];
    const hopeless = names(found.filter(({ up }) => up === undefined));
    const healable = names(found.filter(({ up }) => up !== undefined));
    const list = (some: readonly string[]) => `${some.length} of ${nodes} (${some.join(", ")})`;
    if (hopeless.length > 0) return verdict("a person", `pulumi up does not heal ${list(hopeless)}`);
    if (healable.length === 0) return verdict("healthy", "nothing was found");
    // One may always be healed: in a small cluster it is more than any share.
    const allowed = Math.max(1, Math.min(atMost, Math.floor(nodes * share)));
    if (atMost < 1 || healable.length > allowed)
        return verdict(
            "too many",
            `${list(healable)} are to be healed, and ${atMost < 1 ? 0 : allowed} may be: so many at once have a common cause`,
        );
    return verdict("heal", `pulumi up --refresh heals ${list(healable)}`);
}
