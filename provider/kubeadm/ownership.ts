import type { MachineStatus } from "./machine-status";
import { unreadable } from "./parse-traces";
import { otherInstallers } from "./traces";

export type Ownership = "empty" | "ours" | "foreign";

export interface OwnershipQuestion {
    clusterId: string;
    /** The node's name in its cluster. */
    name: string;
    /**
     * `sha256:…` of our authority's key. Undefined if it is not known here; then the key recorded at the join must
     * still be the same.
     */
    caCertHash?: string;
    facts: MachineStatus;
}

interface Situation extends OwnershipQuestion {
    /** Our agent, an init or a join recorded our cluster on the machine. */
    notedOurs: boolean;
}

/**
 * The first row that applies. The authority on the machine counts more than our records, which survive a manual reset.
 */
const rows: {
    when: (s: Situation) => boolean;
    answer: Ownership;
    why?: (s: Situation) => string;
    /** What to do about it. @default the hint of FOREIGN_NODE */
    hint?: (s: Situation) => string;
}[] = [
    {
        when: s => otherNameHere(s) !== undefined,
        answer: "foreign",
        why: s => `it is node ${otherNameHere(s)} of this cluster`,
        hint: s =>
            `It is ${otherNameHere(s)} of this cluster: keep its name, or take ${otherNameHere(s)} out of the program first, run pulumi up, and add the machine as ${s.name} after that.`,
    },
    {
        when: ({ facts, clusterId, name }) => facts.noted !== "" && facts.noted !== `${clusterId} ${name}`,
        answer: "foreign",
        why: ({ facts }) => `it is node ${facts.noted.split(" ")[1]} of cluster ${facts.noted.split(" ")[0]}`,
    },
    {
        when: ({ facts, clusterId }) => [facts.memberOf, facts.initStarted].some(id => id !== "" && id !== clusterId),
        answer: "foreign",
        why: ({ facts }) => `it is a member of cluster ${facts.memberOf || facts.initStarted}`,
    },
    {
        // On a machine that has our records, an empty or broken file is damage, not the authority of another cluster.
        when: s =>
            s.caCertHash !== undefined &&
            s.facts.authorities
                .filter(hashes => !s.notedOurs || hashes.some(hash => hash !== unreadable))
                .some(hashes => !hashes.includes(s.caCertHash!)),
        answer: "foreign",
        why: () => "its authority is not that of our cluster",
    },
    {
        when: ({ facts }) => facts.authorityChanged,
        answer: "foreign",
        why: () => "its authority is another one than at the join",
    },
    {
        // Our records survive a manual reset. If our authority is still there, the other installer's files have no
        // effect.
        when: ({ facts, caCertHash: key }) =>
            facts.traces.some(trace => otherInstallers.includes(trace)) &&
            (key === undefined || !facts.authorities.some(hashes => hashes.includes(key))),
        answer: "foreign",
        why: () => "another installer put Kubernetes there",
    },
    {
        when: s => !s.notedOurs && s.facts.traces.length > 0 && (s.facts.authorities.length === 0 || !s.caCertHash),
        answer: "foreign",
        why: () => "it has parts of a cluster that we did not make",
    },
    { when: ({ facts, notedOurs }) => notedOurs || facts.traces.length > 0, answer: "ours" },
    { when: () => true, answer: "empty" },
];

/** The name under which the machine is already a node of this cluster, if it is another name. */
function otherNameHere({ facts, clusterId, name }: OwnershipQuestion): string | undefined {
    const [cluster, noted] = facts.noted.split(" ");
    return cluster === clusterId && noted !== name ? noted : undefined;
}

/**
 * Whether the machine belongs to this cluster. For a foreign one also the reason, what was found, and a hint if it is
 * not the usual one. Pure.
 */
export function ownershipOf(question: OwnershipQuestion): { ownership: Ownership; why: string; hint?: string } {
    const { facts, clusterId, name } = question;
    const notedOurs = facts.noted === `${clusterId} ${name}` || [facts.memberOf, facts.initStarted].includes(clusterId);
    const situation = { ...question, notedOurs };
    const { answer, why, hint } = rows.find(row => row.when(situation))!;
    return {
        ownership: answer,
        why: why ? [why(situation), ...seen(situation)].join("\n") : "",
        ...(hint && { hint: hint(situation) }),
    };
}

function seen({ facts, caCertHash: ours }: Situation): string[] {
    const { nodeNames, servers, authorities, traces } = facts;
    const list = (what: string, values: readonly string[]) =>
        values.length > 0 ? [`${what}: ${values.join(", ")}`] : [];
    return [
        ...list("node name", nodeNames),
        ...list("API server", servers),
        ...list("its authority's key", authorities.flat()),
        ...(authorities.length > 0 ? list("ours", ours ? [ours] : []) : []),
        ...list("found", traces.length > 4 ? [...traces.slice(0, 4), `and ${traces.length - 4} more`] : traces),
    ];
}
