/** What is known of a server that the cloud no longer calls healthy. */
export interface ServerSigns {
    /**
     * `gone`: Nova has no such server, which also happens after its database was restored from an older backup.
     * `error`: Nova gave the server up. Neither proves that the machine is dead.
     */
    nova: "fine" | "error" | "gone";
    /** Whether anything answers by SSH, even with a refusal; undefined if the stack has no address for it. */
    answers?: boolean;
    /**
     * Whether the node is Ready; `none`: the cluster has no such node; undefined: no control-plane node could be asked.
     */
    ready?: "yes" | "no" | "none";
}

export type ServerVerdict = "there" | "lost" | "unclear";

/**
 * The first row that applies. A server is replaced with everything on it, so one that cannot be examined never counts
 * as lost.
 */
const verdicts: { verdict: ServerVerdict; when: (signs: ServerSigns) => boolean }[] = [
    { verdict: "there", when: ({ nova, answers }) => nova === "fine" || answers === true },
    // Kubernetes may show its node as Ready for some 40 s after it died.
    { verdict: "lost", when: ({ nova, answers }) => nova === "gone" && answers === false },
    { verdict: "there", when: ({ ready }) => ready === "yes" },
    { verdict: "unclear", when: ({ ready }) => ready === undefined },
    { verdict: "lost", when: () => true },
];

export function verdictOn(signs: ServerSigns): ServerVerdict {
    return verdicts.find(({ when }) => when(signs))!.verdict;
}
