import type { InSession } from "../contract/types";
import { hasUnknown } from "../contract/values";
import type { MachineState, ProgramPath, ServerInputs, StepInputs } from "../machine/machine";
import type { WishNumberInput } from "../operation/wishes";
import type { SshTarget } from "../ssh";
import type { ClusterAccess } from "../vim/check-cluster";
import type { ExportSpec, StorageSpec } from "./spec";

export interface StorageMachineInputs extends StepInputs, ProgramPath, ServerInputs, WishNumberInput {
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

/** Addresses of the servers that the program of this run has, by owner and name. */
class Wanted extends Map<string, string> {}

/** Volumes of machines that this run has taken away, by owner and name: one that follows does not take an empty disk for them. */
class Made extends Map<string, readonly string[]> {}

const keyOf = ({ clusterId, name }: Pick<StorageSpec, "clusterId" | "name">) => `${clusterId}/${name}`;

export function noteWanted(context: InSession | undefined, { spec }: StorageMachineInputs): void {
    if (!hasUnknown(spec)) context?.session.part(Wanted).set(keyOf(spec), spec.address);
}

/** The address of this server in the program of this run, as far as its check has seen it. Undefined: the run leaves it out, too. */
export function wantedAddress(
    { session }: InSession,
    { spec }: { spec: Pick<StorageSpec, "clusterId" | "name"> },
): string | undefined {
    return session.part(Wanted).get(keyOf(spec));
}

export function noteMade({ session }: InSession, { spec, made = [] }: StorageMachineState): void {
    session.part(Made).set(keyOf(spec), made);
}

export function madeBefore({ session }: InSession, spec: StorageSpec): readonly string[] {
    return session.part(Made).get(keyOf(spec)) ?? [];
}
