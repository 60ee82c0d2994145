import type { Role } from "../common/model";
import { etcdBackupSteps } from "../etcd/snapshot-steps";
import { hostSteps } from "../host/host-steps";
import { nodeSteps } from "../member/node-steps";
import { storageBackupSteps, storageSteps } from "../storage/storage-steps";

/** Where the machines come from. */
export type BackEnd = "hosts" | "nova" | "heat";

/** The steps of one resource, by the name of their list. */
export const stepLists = { hostSteps, nodeSteps, storageSteps, storageBackupSteps, etcdBackupSteps };

/** What the engine asks of the resources of a phase. */
export type Act =
    /** Create them, or update what differs. */
    | "apply"
    /** Delete them because the program no longer has them. The engine does that after everything else. */
    | "delete"
    /** Delete them because they are about to be replaced. */
    | "replace"
    /** Nothing: they are deleted together with another resource. */
    | "skip";

/** How many resources of a phase are acted on at a time. */
export type Pace =
    | "all at once"
    | "one after another"
    | "as maxUnavailable says"
    | "all at once; steps that interrupt a member: one after another, workers as maxUnavailable says";

/** One line of the list of an operation. */
export interface Phase {
    /** Name by which other phases refer to it. */
    id: string;
    /** What happens, for a person. */
    title: string;
    /** Types of the resources that do it. */
    by: readonly string[];
    /** Only resources of nodes with this role. */
    role?: Role;
    /** Only the storage server's parts in the cloud; no other phase has them. */
    only?: "storage server";
    /** Only with these back ends. @default all */
    on?: readonly BackEnd[];
    /** @default "apply" */
    act?: Act;
    /** With `replace`: types of which the first to be replaced begins this phase. */
    before?: readonly string[];
    /** With `skip`: types with which they are deleted. */
    with?: readonly string[];
    /** Undefined: the order within the phase is the resources' own affair. */
    pace?: Pace;
    /** The list with the steps of each of its resources. */
    steps?: keyof typeof stepLists;
    /**
     * What it waits for: "start"; "servers:own", each for that of its own machine; "hosts:role", for those of all
     * control-plane nodes; "join-control-plane:first", for the first one only; "end:registered", without a dependency. A phase that the list lacks is
     * ignored.
     */
    after: readonly string[];
    /** The hooks of this moment run here. */
    hook?: "start" | "end";
}

/** Which resources of the former phase each resource of the latter waits for. */
export type Which = "all" | "own" | "role" | "first" | "registered";

/** "servers:own" → the phase and the relation. */
export function reference(text: string): { id: string; which: Which } {
    const [id, which = "all"] = text.split(":");
    return { id: id!, which: which as Which };
}
