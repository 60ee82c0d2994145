import { NfvError } from "../../common/errors";

interface Holding {
    clusterName: string;
    held?: unknown;
}

/**
 * Pulumi's plugin holds the objects of a cluster that cannot move: if another resource took them, the plugin would delete them as left out, and with them
 * the cluster. Undefined: they are held as before. Pure.
 */
export function holdsOtherwise(olds: Partial<Holding>, news: Holding): NfvError | undefined {
    if (olds.clusterName === undefined || olds.clusterName !== news.clusterName) return undefined;
    const [before, after] = [olds.held !== undefined, news.held !== undefined];
    if (before === after) return undefined;
    return new NfvError({
        code: "INVALID_INPUT",
        node: `workload cluster "${news.clusterName}"`,
        cause: `movable: cannot change from ${before} to ${after} while the cluster exists: what holds its objects would be another one, and the former one would delete them, and the cluster with them`,
        hint: "Set it back. Give movable: true to a cluster when it is made; move the workload of this one to it.",
    });
}
