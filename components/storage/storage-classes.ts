import * as pulumi from "@pulumi/pulumi";
import { type Args, OwnerMark, SnapshotClassSet, StorageClassSet } from "../../provider/adapters/dynamic";
import type { StorageClassSetInputs } from "../../provider/nfs-csi/storage-class-set";
import type { SnapshotClassSetInputs } from "../../provider/snapshots/snapshot-class-set";
import type { StorageClassesArgs } from "../args/storage-classes-args";
import { problemsWhenKnown, validate } from "../validation/validate";
import { vimAccess, vimProblems } from "../vim/vim";
import { hasClasses, snapshotClassObjects } from "./snapshot-class-objects";
import { storageClassDefaults, storageClassObjects } from "./storage-class-objects";

/**
 * Storage classes of a cluster over the exports of an NFS server, with the NFS CSI driver. A class that claims or pods use is not removed: that is
 * refused with their names. See docs/storage.md.
 */
export class StorageClasses extends pulumi.ComponentResource {
    /** Names of the storage classes. */
    readonly names: pulumi.Output<string[]>;

    constructor(name: string, args: StorageClassesArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:StorageClasses", name, {}, options);
        validate("StorageClasses", name, args, vimProblems(args?.vim));
        const { vim, server, force = [], timeoutSeconds = storageClassDefaults.timeoutSeconds } = args;
        const withSnapshots = hasClasses(args.snapshotClasses);
        const objects = storageClassObjects(args.classes, server, args.nfsCsi, withSnapshots);
        const owner = new OwnerMark(name, { name }, { parent: this, dependsOn: [vim] }).mark;
        const common = {
            name,
            owner,
            clusterId: vim.clusterIdentifier,
            access: vimAccess(vim),
            timeoutSeconds,
            problems: problemsWhenKnown("StorageClasses", name, args),
        };
        const before: pulumi.Resource[] = [vim];
        if (withSnapshots) {
            const given = snapshotClassObjects({ nfs: args.snapshotClasses }, args.snapshotController);
            const inputs = { ...common, ...given } as unknown as Args<SnapshotClassSetInputs>;
            before.push(new SnapshotClassSet(name, inputs, { parent: this, dependsOn: [vim] }));
        }
        const inputs = { ...common, ...objects, force } as unknown as Args<StorageClassSetInputs>;
        const made = new StorageClassSet(name, inputs, { parent: this, dependsOn: before });
        this.names = made.id.apply(() => Object.keys(objects.classes).sort());
        this.registerOutputs({ names: this.names });
    }
}
