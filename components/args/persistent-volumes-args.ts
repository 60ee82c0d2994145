import type * as pulumi from "@pulumi/pulumi";
import type { Vim } from "../vim/vim";
import type { PersistentVolumeArgs } from "./storage-args";

/** PersistentVolumes of a cluster. At least one of `volumes` and `manifests` is set. */
export interface PersistentVolumesArgs {
    /** The cluster. @change again: if it is another cluster, the volumes are made there, and removed here */
    vim: Vim;
    /**
     * Address of the NFS server: the output `address` of a StorageServer. NFS volumes of the manifests get it, whatever server they name.
     * @default each volume names its own
     * @change step: refused for volumes that are used, unless `force` names them
     * @format host
     */
    server?: pulumi.Input<string>;
    /**
     * Volumes by name.
     * @change step: a removed one goes, its data stays; refused while it is used, unless `force` names it
     * @keys dnsSubdomain
     */
    volumes?: Record<string, PersistentVolumeArgs>;
    /**
     * Paths of YAML files and of folders of such files (`.yaml`, `.yml`, `.json`, by name), or YAML texts. Only of PersistentVolumes.
     * @change step: a removed one goes, its data stays; refused while it is used, unless `force` names it
     * @format text
     */
    manifests?: string[];
    /**
     * How long a volume may take until claims can bind to it, in seconds.
     * @default 60
     * @change nothing
     */
    timeoutSeconds?: number;
    /** Names of volumes that may go although claims or pods use them. @change nothing */
    force?: string[];
}
