import type { MachineState, ProgramPath, ServerInputs, StepInputs } from "../machine/machine";
import type { ChangeNumberInput } from "../operation/wishes";
import type { SshTarget } from "../ssh";
import type { ClusterAccess } from "../vim/check-cluster";
import type { ExportSpec, StorageSpec } from "./spec";

export interface StorageMachineInputs extends StepInputs, ProgramPath, ServerInputs, ChangeNumberInput {
    spec: StorageSpec;
    connection: SshTarget;
    /** The cluster whose claims and pods use the exports. Secret. */
    access?: ClusterAccess;
    /** Names of volumes and exports that may go although they are in use. */
    force: string[];
    /** Addresses of the registered clients, by name. Used only on a machine that takes the place of a former one; a change changes nothing. */
    clients?: Record<string, string[]>;
}

export interface StorageMachineState extends StorageMachineInputs, MachineState {
    /** Names of volumes that were made: on a machine that takes the place of a former one they are not empty. */
    made?: string[];
    /** Another text each time it is set up from nothing: what other resources had begun there is gone. */
    setUp?: string;
    /** After an update that failed half way: the exports before it, which may still be served. */
    served?: Record<string, ExportSpec>;
}

/** The exports that clients may use, as far as the state knows. */
export function servedBy({ spec, served }: Partial<StorageMachineState>): Record<string, ExportSpec> {
    return { ...spec?.exports, ...served };
}

type ServerName = Pick<StorageSpec, "clusterId" | "name">;

/** Of a server, by owner and name. */
export const serverKey = ({ clusterId, name }: ServerName) => `${clusterId}/${name}`;
