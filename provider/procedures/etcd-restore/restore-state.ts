import { NfvError } from "../../common/errors";
import type { CommonInputs, Context } from "../../contract/types";
import type { EtcdBackup, OntoNewSpec } from "../../etcd/spec";
import { isUnreachable, named } from "../../machine/machine";
import { query } from "../../steps/query";
import type { Reached } from "../reached";
import { restoreStateScript } from "./restore-acts";
import { parseRestoreState, type RestoreState } from "./restore-decision";

/** What the state keeps of a restore. */
export interface StoredRestore extends CommonInputs {
    clusterId: string;
    /** Another one restores once more. */
    requestId: string;
    /** Id of a snapshot, or "latest". */
    snapshot: string;
    /** All former control-plane nodes are lost. Undefined: it comes back where the cluster is. */
    ontoNew?: OntoNewSpec;
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

/** `peers`, `workers` and `backup` are not stored. */
export interface EtcdRestoreInputs extends StoredRestore {
    /** Secret: the control-plane nodes, JSON of Peer[]. */
    peers: string;
    /** Secret: the workers, JSON of Peer[]. */
    workers: string;
    /** Secret: where the snapshot is, JSON of EtcdBackup. */
    backup: string;
}

export interface EtcdRestoreState extends StoredRestore {
    /** The snapshot that came back. */
    restored: { requestId: string; snapshot: string };
}

export const backupOf = ({ backup }: EtcdRestoreInputs): EtcdBackup => JSON.parse(backup);

/** How far all control-plane nodes are. */
export async function restoreStates(controlPlane: readonly Reached[], { report }: Context): Promise<RestoreState[]> {
    report("look at etcd on the control-plane nodes");
    return Promise.all(controlPlane.map(stateOf));
}

function stateOf({ name, link }: Reached): Promise<RestoreState> {
    const step = "look at etcd";
    return named(name, async () => {
        try {
            const said = await query(link, { step, script: restoreStateScript, timeoutSeconds: 60, node: name });
            return parseRestoreState(name, said);
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            const hint =
                "All control-plane nodes must answer: etcd's data is exchanged on all of them. Start it, or correct how it is reached; then run pulumi up again.";
            throw new NfvError({ code: error.code, node: name, step, cause: error.reason, hint });
        }
    });
}
