import { NfvError } from "../../common/errors";
import type { ControlPlaneKeys } from "../../common/model";

/** Kind of key, as control-plane nodes note it (lib/note-rotated.sh) → how the state of the stack shows that it was rotated. */
const rotations: Record<string, { input: string; isKnown(keys: ControlPlaneKeys): boolean }> = {
    encryption: { input: "rotate.encryptionKey", isKnown: keys => keys.encryptionKeyName !== undefined },
    "service-account": { input: "rotate.serviceAccountKey", isKnown: keys => keys.serviceAccountKeyName !== undefined },
    authorities: { input: "rotate.authorities", isKnown: keys => keys.firstAuthorities !== undefined },
};

/** The kinds of which a cluster that begins with these keys never has the first one: it is restored onto new machines. */
export function rotatedKinds(keys: ControlPlaneKeys): string[] {
    return Object.entries(rotations).flatMap(([kind, { isKnown }]) => (isKnown(keys) ? [kind] : []));
}

interface Question {
    clusterId: string;
    name: string;
    /** Undefined: of a worker. */
    keys?: ControlPlaneKeys;
    /** Of the machine and of other control-plane nodes that were asked: "CLUSTERID KIND". */
    rotated: readonly string[];
}

/**
 * Why the node must not be changed by this state of the stack: it is from before a rotation, and would bring keys back that the cluster has left. Then Secrets could not be read,
 * tokens would be refused, or machines would trust different authorities. Pure.
 */
export function whyNotByThisState({ clusterId, name, keys, rotated }: Question): NfvError | undefined {
    if (keys === undefined) return undefined;
    const known = Object.entries(rotations).filter(([kind]) => rotated.includes(`${clusterId} ${kind}`));
    const lost = known.filter(([, { isKnown }]) => !isKnown(keys)).map(([, { input }]) => input);
    if (lost.length === 0) return undefined;
    return new NfvError({
        code: "ROTATION_FAILED",
        node: name,
        step: "compare the keys of the state with the cluster's",
        cause: `the state of the stack is from before ${lost.join(" and ")} of this cluster, and has keys that the cluster no longer has; nothing was changed here`,
        hint: "Bring the newest state back (pulumi stack history; pulumi stack export --version N, then pulumi stack import), and run pulumi up again.",
    });
}
