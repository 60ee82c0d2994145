import { NfvError } from "../common/errors";

/*
 * A restore onto new machines begins a cluster beside the former one, with the same keys and the same address. So the former control-plane nodes must be gone:
 * the program says so, none of them may answer, and who is silent was given up by name. Decided purely.
 */

/** The value of `etcdRestore.onto`. */
export const newMachines = "newMachines";

/** What a machine says. */
export interface SeenMaster {
    name: string;
    /** How it is reached. */
    host: string;
    /** It is a member of a cluster, or has data of etcd. */
    isMaster: boolean;
    /** Its API server is ready. */
    isReady: boolean;
    /** It does not answer: why. */
    silent?: string;
    /** It does not let us in: what to correct. */
    closed?: string;
}

export interface NewMachines {
    clusterId: string;
    /** The word of the restore. */
    word: string;
    /** A former run began this restore. */
    begun: boolean;
    /** The control-plane nodes of the program, and those of former ones. */
    wanted: readonly SeenMaster[];
    formers: readonly SeenMaster[];
    isGivenUp: (name: string) => boolean;
}

/** Why nothing may be restored onto these machines; undefined: it may, or it was done. */
export function whyNotOntoNew({
    clusterId,
    word,
    begun,
    wanted,
    formers,
    isGivenUp,
}: NewMachines): NfvError | undefined {
    const refused = (cause: string, hint: string) =>
        new NfvError({
            code: "RESTORE_FAILED",
            step: `etcdRestore "${word}" onto new machines`,
            cause: `${cause}; nothing was changed`,
            hint,
        });
    const place = ({ name, host }: SeenMaster) => `${name} (${host})`;
    const list = (machines: readonly SeenMaster[]) => machines.map(place).join(", ");
    if (begun && wanted.some(({ isReady }) => isReady)) return undefined;
    const old = begun ? [] : wanted.filter(({ isMaster }) => isMaster);
    if (old.length > 0)
        return refused(
            `${list(old)} ${old.length > 1 ? "are control-plane nodes" : "is a control-plane node"} already`,
            "To restore onto control-plane nodes that live, take `onto` away. If all are lost, give the program other machines in their place, or reinstall them.",
        );
    const living = formers.filter(({ isMaster }) => isMaster);
    if (living.length > 0)
        return refused(
            `the former ${list(living)} ${living.length > 1 ? "answer and have" : "answers and has"} the cluster's data: two clusters with the same keys and the same address would run`,
            "If its data is of use, put it back into the program without etcdRestore, and run pulumi up. If not, turn it off for ever, then run pulumi up again.",
        );
    const closed = formers.flatMap(each => each.closed ?? []);
    if (closed.length > 0) return refused(closed.join("\n"), "Turn off for ever what is a former control-plane node.");
    const silent = formers.filter(each => each.silent !== undefined && !isGivenUp(each.name));
    if (silent.length === 0) return undefined;
    const names = [...new Set(silent.map(({ name }) => `${clusterId}/${name}`))].join(",");
    return refused(
        silent.map(each => `the former ${place(each)} does not answer: ${each.silent}`).join("\n"),
        "Silence does not prove that a machine is lost: one that comes back with its data would be a second cluster. If they are turned off and lost for ever, " +
            `give each up by name: NFV_GIVE_UP=${names} pulumi up`,
    );
}
