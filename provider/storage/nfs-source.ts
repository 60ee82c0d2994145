import { posix } from "node:path";

/** A folder of an NFS server that a volume mounts. */
export interface NfsSource {
    server: string;
    path: string;
}

/** The parts of a PersistentVolume's `spec`, or of one of a pod's `volumes`, that name an NFS folder. */
export interface MayBeNfs {
    nfs?: { server?: string; path?: string };
    csi?: { driver?: string; volumeAttributes?: Record<string, string> };
}

/**
 * The folder behind a volume, undefined if it is no NFS. The NFS CSI driver names it by `server`, `share` and `subdir`, whose names it compares
 * without case (its nodeserver.go); any driver with a server and a share counts, as another one of that kind would mount the same folder.
 */
export function nfsSourceOf({ nfs, csi }: MayBeNfs): NfsSource | undefined {
    if (nfs !== undefined) return { server: nfs.server ?? "", path: nfs.path ?? "/" };
    const attributes = Object.fromEntries(
        Object.entries(csi?.volumeAttributes ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { server, share, subdir = "" } = attributes;
    if (server === undefined || share === undefined) return undefined;
    return { server, path: posix.join("/", share, subdir) };
}
