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
    name: "healthy" | "heal" | "too many" | "a person" | "unknown";
    reason: string;
    /** Names of the nodes that a pipeline may repair now, whatever else is found. */
    heals: string[];
}

/** The codes are part of the interface: pipelines decide by them. */
export const exitCodes = { healthy: 0, heal: 20, "too many": 21, "a person": 22, unknown: 22 } as const;

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

/**
 * Cures that act on a service of one node alone, and only where it does not work: they are right whatever is wrong with other nodes. Others need the cloud, etcd's majority
 * or a new join, so they wait until nothing is in doubt.
 */
const certain = new Set([
    "cordoned",
    "kubelet-stopped",
    "runtime-stopped",
    "runtime-silent",
    "api-server-certificate-ended",
    "kubelet-certificate-ended",
]);

/** Nodes of which all is known, and each finding has a certain cure. What was changed of a step's result (drift) plays no part. */
function certainlyHealed(found: readonly Found[]): string[] {
    const isOpen = ({ up, person, code }: Found) => person !== undefined || (up !== undefined && !certain.has(code));
    const open = new Set(found.filter(each => each.code !== "drift" && isOpen(each)).map(({ node }) => node));
    return nodesToHeal(found).filter(node => !open.has(node));
}

/** What a pipeline should do about what was found on a cluster of so many nodes. Pure. */
export function verdictOn(found: readonly Found[], nodes: number, { atMost, share }: HealLimits): Verdict {
    const verdict = (name: Verdict["name"], reason: string, heals: string[] = []): Verdict => ({
        ...{ exitCode: exitCodes[name], name, reason, heals },
    });
    const names = (some: readonly Found[]) => [...new Set(some.map(({ node }) => node))];
    // A finding that says nothing of a cure follows from another one of its node: a NotReady node whose kubelet does not run.
    const isConsequence = ({ node, person }: Found) => person === undefined && curable.includes(node);
    const curable = names(found.filter(({ up }) => up !== undefined));
    const hopeless = found.filter(each => each.up === undefined && !isConsequence(each));
    const list = (some: readonly string[]) => `${some.length} of ${nodes} (${some.join(", ")})`;
    // One may always be healed: in a small cluster it is more than any share.
    const ofShare = Math.max(1, Math.floor(nodes * share));
    const allowed = Math.min(atMost, ofShare);
    if (hopeless.length > 0) {
        const certainOnes = certainlyHealed(found);
        const heals = certainOnes.length <= allowed ? certainOnes : [];
        const meanwhile = heals.length > 0 ? `; nfv repair heals ${list(heals)} meanwhile` : "";
        const forPerson = names(hopeless.filter(({ code }) => code !== "unknown"));
        const [name, what, whom] =
            forPerson.length > 0
                ? (["a person", "pulumi up does not heal", forPerson] as const)
                : (["unknown", "not everything could be asked of", names(hopeless)] as const);
        return verdict(name, `${what} ${list(whom)}${meanwhile}`, heals);
    }
    const healable = healedBy(found);
    if (healable.length === 0) return verdict("healthy", "nothing was found");
    if (healable.length > allowed) {
        const limit = atMost <= ofShare ? `--at-most ${atMost}` : `--share ${share}`;
        return verdict(
            "too many",
            `pulumi up --refresh would heal ${list(healable)}, but ${limit} allows ${allowed || "none"}`,
        );
    }
    return verdict("heal", `pulumi up --refresh heals ${list(healable)}`, nodesToHeal(found));
}
