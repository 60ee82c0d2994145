import type * as pulumi from "@pulumi/pulumi";
import type { KubeObject } from "../../provider/vim";
import type { PersistentVolumeArgs } from "../args/storage-args";

/** Where volumes are served. */
export interface VolumeServer {
    /** Undefined: each volume names its own. */
    address?: pulumi.Input<string>;
    /** Whether a source at this path is one of its exports, so that it gets the address. */
    serves: (path: string) => boolean;
    nfs3: boolean;
}

/** All PersistentVolumes by name: typed ones, and those of manifests with the server's address where their source is one of its exports. Pure. */
export function persistentVolumeObjects(
    typed: Record<string, PersistentVolumeArgs>,
    manifests: Record<string, KubeObject>,
    server: VolumeServer,
): Record<string, KubeObject> {
    return {
        ...Object.fromEntries(Object.entries(manifests).map(([name, object]) => [name, withServer(object, server)])),
        ...Object.fromEntries(Object.entries(typed).map(([name, args]) => [name, objectOf(name, args, server)])),
    };
}

/** "nfv/data" */
function claimRef(claim: string): object {
    const [namespace, name] = claim.split("/");
    return { namespace, name };
}

function objectOf(name: string, given: PersistentVolumeArgs, { address, nfs3 }: VolumeServer): KubeObject {
    return {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name, ...(given.labels && { labels: given.labels }) },
        spec: {
            capacity: { storage: `${given.capacityGiB}Gi` },
            accessModes: given.accessModes ?? ["ReadWriteMany"],
            persistentVolumeReclaimPolicy: given.reclaimPolicy ?? "Retain",
            storageClassName: given.storageClassName ?? "",
            mountOptions: given.mountOptions ?? ["hard", nfs3 ? "nfsvers=3" : "nfsvers=4.1"],
            ...(given.claim !== undefined && { claimRef: claimRef(given.claim) }),
            nfs: { server: given.server ?? address, path: given.path },
        },
    };
}

/** The address is filled in by structure, never by text. */
function withServer(object: KubeObject, { address, serves }: VolumeServer): KubeObject {
    const spec = object["spec"] as { nfs?: { path?: string; server?: string } } | undefined;
    const nfs = spec?.nfs;
    if (nfs === undefined || address === undefined || !serves(nfs.path ?? "")) return object;
    return { ...object, spec: { ...spec, nfs: { ...nfs, server: address } } };
}
