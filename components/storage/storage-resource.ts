import type * as pulumi from "@pulumi/pulumi";
import { type Args, type DeepInput, StorageBackups, StorageMachine } from "../../provider/adapters/dynamic";
import type { ServerSettings } from "../../provider/machine/machine";
import { parseHostKey } from "../../provider/ssh";
import type { SshTarget } from "../../provider/ssh/types";
import type { BackupsSpec, StorageSpec } from "../../provider/storage/spec";
import type { StorageBackupsInputs } from "../../provider/storage/storage-backups";
import { storageBackupSteps, storageSteps } from "../../provider/storage/storage-steps";
import type { ClusterAccess } from "../../provider/vim/check-cluster";
import { endOf } from "../common/end-of";
import type { MadeStorage } from "../infrastructure/infrastructure";
import { plannedSteps, type StandIns } from "../preview/planned-steps";
import { sampleIdentity } from "../preview/sample-identity";
import type { StorageDraft, StoragePlace } from "./storage-plan";

export interface StorageRequest {
    /** Name of the resource. */
    name: string;
    draft: StorageDraft;
    /** The same with two different placeholders for what is not known before the server exists. */
    placeholders?: readonly [StorageDraft, StorageDraft];
    owner: pulumi.Output<string>;
    fingerprintKey: pulumi.Output<string>;
    connection: DeepInput<SshTarget>;
    force: readonly string[];
    /** The cluster that uses it. */
    access?: DeepInput<ClusterAccess>;
    problems?: pulumi.Input<string | undefined>;
    /** Of a server that the infrastructure makes. */
    server?: { serverId: pulumi.Output<string>; server: ServerSettings };
    /** Addresses of the registered clients. */
    clients?: Record<string, pulumi.Input<string>[]>;
    /** See WishesInput. */
    changeNumber?: pulumi.Output<number | undefined>;
    /** Place of the machine in the program. */
    programPath: string;
    options: pulumi.CustomResourceOptions;
}

/** An address and disks in the place of those that a server will have. */
function placeholder({ disks }: MadeStorage, number: number): Required<Pick<StoragePlace, "address" | "disks">> {
    const ids = Object.keys(disks).map(volume => [volume, `cinder:${number}`]);
    return { address: `192.0.2.${number}`, disks: Object.fromEntries(ids) };
}

/** What a server that the infrastructure makes adds to the request. `draft` plans what it serves at a place. */
export function ofMade(
    made: MadeStorage | undefined,
    draft: (place: Pick<StoragePlace, "address" | "disks">) => StorageDraft,
): Pick<StorageRequest, "placeholders" | "server"> {
    if (made === undefined) return {};
    return {
        placeholders: [draft(placeholder(made, 1)), draft(placeholder(made, 2))],
        server: { serverId: made.id, server: made.settings },
    };
}

/** A storage server, with the steps that preview shows of it. */
export function storageResource(request: StorageRequest): StorageMachine {
    const { name, draft, owner, fingerprintKey, connection, force, access, problems, clients, options } = request;
    const { programPath, changeNumber } = request;
    const spec = { ...draft, clusterId: owner } as unknown as DeepInput<StorageSpec>;
    const standIns = request.placeholders?.map(each => ({ ...each, clusterId: owner })) as
        | StandIns<StorageSpec>
        | undefined;
    const sample = { clusterId: sampleIdentity(draft.name).clusterId };
    const inputs = {
        spec,
        steps: plannedSteps<StorageSpec>(storageSteps, spec, fingerprintKey, sample, standIns),
        fingerprintKey,
        connection,
        force: [...force],
        programPath,
        ...request.server,
        ...(clients !== undefined && { clients }),
        ...(changeNumber !== undefined && { changeNumber }),
        ...(access !== undefined && { access }),
        ...(problems !== undefined && { problems }),
    };
    return new StorageMachine(name, inputs as ConstructorParameters<typeof StorageMachine>[1], options);
}

/** What the backups of a server need, besides what it has itself. */
export interface BackupsRequest
    extends Pick<
        StorageRequest,
        "name" | "draft" | "owner" | "fingerprintKey" | "connection" | "problems" | "programPath"
    > {
    server: StorageMachine;
    changeNumber?: pulumi.Output<number | undefined>;
    parent: pulumi.Resource;
    /** What must not wait for a repository that cannot be reached. */
    after: readonly pulumi.Resource[];
}

/** The backups of a storage server. They come after all that is in `after`, but depend on none of it: see endOf. */
export function backupsResource(request: BackupsRequest): StorageBackups | undefined {
    const { name, draft, owner, fingerprintKey, server, problems, changeNumber, parent, after } = request;
    const { connection, programPath } = request;
    if (draft.backups === undefined) return undefined;
    const spec = { clusterId: owner, name: draft.name, backups: draft.backups } as unknown as DeepInput<BackupsSpec>;
    const sample = { clusterId: sampleIdentity(draft.name).clusterId };
    const inputs = {
        spec,
        steps: plannedSteps<BackupsSpec>(storageBackupSteps, spec, fingerprintKey, sample),
        fingerprintKey,
        connection,
        hostKey: server.hostKey,
        serverId: server.id,
        setUp: server.setUp,
        programPath: endOf(after).then(() => programPath),
        ...(changeNumber !== undefined && { changeNumber }),
        ...(problems !== undefined && { problems }),
    };
    // With the server its backups are gone.
    const options = { parent, dependsOn: [server], deletedWith: server };
    return new StorageBackups(name, inputs as Args<StorageBackupsInputs>, options);
}

/** "SHA256:…" of the host key that the server showed. */
export function fingerprintOf(server: StorageMachine): pulumi.Output<string> {
    return (server.hostKey as pulumi.Output<string | undefined>).apply(key =>
        key === undefined ? "" : parseHostKey(key).fingerprint,
    );
}
