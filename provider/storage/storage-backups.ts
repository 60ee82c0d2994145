import type { Context, ResourceType } from "../contract/types";
import { failuresOf, text, textMap, unknownValue } from "../contract/values";
import { connectTo, type MachineState, type ProgramPath, type StepInputs } from "../machine/machine";
import { backupDiff, beginBackups } from "../machine/machine-backups";
import type { ChangeNumberInput } from "../operation/wishes";
import type { SshTarget } from "../ssh";
import { plan } from "../steps";
import type { BackupsSpec } from "./spec";
import { observeStorage } from "./storage-observed";
import { storageBackupSteps } from "./storage-steps";

export interface StorageBackupsInputs extends StepInputs, ProgramPath, ChangeNumberInput {
    /** `backups` are secret. */
    spec: BackupsSpec;
    /** How the storage server is reached. Secret. */
    connection: SshTarget;
    /** As the StorageMachine recorded it. */
    hostKey?: string;
    /** Id of the StorageMachine: another one has begun no backups. */
    serverId: string;
    /** See StorageMachineState. */
    setUp?: string;
}

export interface StorageBackupsState extends StorageBackupsInputs, MachineState {}

/**
 * The backups of a storage server: begun, and made where the program asks for one or one has failed. A resource of its own, because nothing may wait for a
 * repository that cannot be reached: whoever serves data or builds nodes waits for the StorageMachine. Settings, timers' files, restores, and all that is
 * to be taken away are the StorageMachine's, too.
 */
export const storageBackups: ResourceType<StorageBackupsInputs, StorageBackupsState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { "spec.clusterId": text, "spec.name": text, steps: textMap }),
    }),
    diff: (_id, olds, news) => backupDiff(olds, news, { isOnOther: isOnOther(olds, news), steps: () => planOf(news) }),
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}/backups`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: (id, state, context) => observeStorage(id, state, planOf(state), context),
    // The StorageMachine has taken the backups off the machine, or will. No machine is contacted, so that a silent one delays nothing.
    delete: async () => {},
};

/** The machine was set up from nothing since. At preview of a change of it that is not known yet, and most changes are none of this. */
function isOnOther(olds: StorageBackupsState, { serverId, setUp }: StorageBackupsInputs): boolean {
    return olds.serverId !== serverId || (setUp !== unknownValue && olds.setUp !== setUp);
}

function planOf({ spec, fingerprintKey }: StorageBackupsInputs) {
    return plan(storageBackupSteps, spec, fingerprintKey);
}

async function reconcile(
    id: string,
    inputs: StorageBackupsInputs,
    olds: StorageBackupsState | undefined,
    context: Context,
): Promise<StorageBackupsState> {
    const recorded = { jumpHostKeys: olds?.jumpHostKeys, hostKey: inputs.hostKey ?? olds?.hostKey };
    const connection = connectTo(context, inputs.connection, recorded, inputs);
    return beginBackups(
        {
            ...{ id, inputs, olds, connection, notThere },
            ...{ steps: planOf(inputs), isOnOther: olds !== undefined && isOnOther(olds, inputs) },
        },
        context,
    );
}

const notThere = {
    cause: "it is no storage server of ours (any more), so its backups cannot be started",
    hint: "Run pulumi up --refresh: it sets the server up again.",
};
