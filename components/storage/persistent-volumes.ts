import * as pulumi from "@pulumi/pulumi";
import { type Args, OwnerMark, PersistentVolumeSet } from "../../provider/adapters/dynamic";
import type { PersistentVolumeSetInputs } from "../../provider/storage/persistent-volume-set";
import type { PersistentVolumesArgs } from "../args/persistent-volumes-args";
import { reading } from "../common/invalid-input";
import { problemsWhenKnown, validate } from "../validation/validate";
import { vimAccess, vimProblems } from "../vim/vim";
import { readPersistentVolumes } from "./persistent-volume-manifests";
import { persistentVolumeObjects } from "./persistent-volume-objects";

/**
 * PersistentVolumes of a cluster: from manifests as Tacker's packages have them, or typed. They are awaited. Removing one that claims or pods use is
 * refused with their names.
 */
export class PersistentVolumes extends pulumi.ComponentResource {
    /** Names of the volumes. */
    readonly names: pulumi.Output<string[]>;

    constructor(name: string, args: PersistentVolumesArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:PersistentVolumes", name, {}, options);
        validate("PersistentVolumes", name, args, vimProblems(args?.vim));
        const { vim, server, force = [], timeoutSeconds = 60 } = args;
        const objects = persistentVolumeObjects(
            args.volumes ?? {},
            reading("PersistentVolumes", name, () => readPersistentVolumes("manifests", args.manifests ?? [])),
            { ...(server !== undefined && { address: server }), serves: () => true, nfs3: false },
        );
        const owner = new OwnerMark(name, { name }, { parent: this, dependsOn: [vim] }).mark;
        const inputs = {
            name,
            owner,
            clusterId: vim.clusterIdentifier,
            access: vimAccess(vim),
            volumes: objects,
            force,
            timeoutSeconds,
            problems: problemsWhenKnown("PersistentVolumes", name, args),
        };
        const made = new PersistentVolumeSet(name, inputs as Args<PersistentVolumeSetInputs>, {
            parent: this,
            dependsOn: [vim],
        });
        this.names = made.id.apply(() => Object.keys(objects).sort());
        this.registerOutputs({ names: this.names });
    }
}
