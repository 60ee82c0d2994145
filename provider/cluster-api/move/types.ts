import type { KubeObject } from "../../vim";

/** An object with all that a move reads of it. */
export interface MoveObject extends KubeObject {
    metadata: Omit<KubeObject["metadata"], "ownerReferences"> & {
        finalizers?: string[];
        resourceVersion?: string;
        ownerReferences?: OwnerReference[];
        managedFields?: { manager?: string; [field: string]: unknown }[];
    };
}

export interface OwnerReference {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
}

/** A kind whose objects may have to move. */
export interface MovableKind {
    apiVersion: string;
    kind: string;
    /** "machines" */
    plural: string;
    namespaced: boolean;
    /** All its objects move, whoever owns them, with all that they own. */
    moves: boolean;
}

export interface InstalledProvider {
    /** "infrastructure-openstack" */
    name: string;
    /** "v0.14.7" */
    version: string;
    namespace: string;
    isInfrastructure: boolean;
}

/** A namespace whose clusters have moved away, and the uid of the cluster that has them. */
export interface Guard {
    namespace: string;
    movedTo: string;
}

/** A management cluster, as it was seen. */
export interface Side {
    /** Of the cluster. */
    uid: string;
    providers: InstalledProvider[];
    kinds: MovableKind[];
    /** Of all kinds. Secrets and ConfigMaps only of namespaces that matter. */
    objects: MoveObject[];
    /** Names of all namespaces. */
    namespaces: string[];
    /** Namespaces in which no Cluster can be created: theirs have moved away. */
    guards: Guard[];
}

/** Both sides of a move of all clusters in these namespaces. */
export interface Sight {
    from: Side;
    to: Side;
    namespaces: string[];
}

/** The requests of a move. Paths begin with "/api". */
export interface MoveApi {
    get<T>(path: string): Promise<T | undefined>;
    post<T>(path: string, body: object): Promise<T>;
    put<T>(path: string, body: object): Promise<T>;
    /** A JSON merge patch; undefined if the object does not exist. */
    merge<T>(path: string, patch: object): Promise<T | undefined>;
    delete(path: string, options?: { preconditions: { uid?: string } }): Promise<void>;
}
