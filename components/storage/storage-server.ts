import * as pulumi from "@pulumi/pulumi";
import { ClusterId } from "../../provider/adapters/dynamic";
import type { StorageServerArgs } from "../args/storage-args";
import { sshTarget } from "../common/ssh-target";
import { cloudStorageProblems } from "../validation/storage/storage-in-cloud-rules";
import { problemsWhenKnown, validate } from "../validation/validate";
import { keptOfStorage, provisionStorage, storageCloud } from "./storage-in-cloud";
import { type StoragePlace, storagePlan } from "./storage-plan";
import { backupsResource, fingerprintOf, ofMade, storageResource } from "./storage-resource";

/**
 * A machine that serves volumes over NFS, for several clusters or other machines: one that exists, or a server that is made in a cloud. A cluster with a
 * server of its own has the input `storage` instead.
 * Nothing that it does deletes data: see docs/storage.md.
 */
export class StorageServer extends pulumi.ComponentResource {
    /** Where clients mount. */
    readonly address: pulumi.Output<string>;
    /** Paths that are served. */
    readonly exports: pulumi.Output<string[]>;
    /** Fingerprint of the machine's SSH host key, as recorded at the first connection: `"SHA256:…"`. */
    readonly fingerprint: pulumi.Output<string>;
    /** Id in the marks of its volumes. Another server takes them over with `owner` of each volume. */
    readonly owner: pulumi.Output<string>;
    /** Entry of `snapshots` → id of its newest snapshot, for `snapshotId` of a volume. */
    readonly snapshots: pulumi.Output<Record<string, string>>;

    constructor(name: string, args: StorageServerArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:StorageServer", name, {}, options);
        validate("StorageServer", name, args, cloudStorageProblems(name, args));
        const serverName = args.serverName ?? name;
        const problems = problemsWhenKnown("StorageServer", name, args);
        const cloud = storageCloud(name, args, this);
        const parent = cloud?.parent ?? this;
        const kept = cloud && keptOfStorage(args, cloud);
        const identity = new ClusterId(
            name,
            { clusterName: serverName, nameInput: "serverName", problems, ...(kept && { kept }) },
            { parent, ...(cloud && { dependsOn: [...cloud.preflight] }) },
        );
        const { clusterId, fingerprintKey } = identity;
        const provisioned = cloud && provisionStorage(cloud, args, { clusterId, fingerprintKey, kept: kept! });
        const made = provisioned?.storage;
        // The rules require an address where no server is made.
        const given = { ...args.server, address: made?.address ?? args.server.address! };
        const { address } = given;
        const draft = (place: Pick<StoragePlace, "address" | "disks">) =>
            storagePlan(args, { name: serverName, ...place });
        const machine = {
            name,
            draft: draft({ address, ...(made && { disks: made.disks }) }),
            owner: clusterId,
            fingerprintKey,
            connection: made?.connection ?? sshTarget(undefined, given),
            programPath: "server",
        };
        const server = storageResource({
            ...machine,
            ...ofMade(made, draft),
            force: args.force ?? [],
            options: {
                parent,
                dependsOn: [identity, ...(provisioned ? [provisioned.start, ...made!.needs] : [])],
            },
        });
        made?.guardNetwork([server]);
        backupsResource({ ...machine, server, parent, after: [] });
        this.snapshots = made?.takeSnapshots([server]) ?? pulumi.output<Record<string, string>>({});
        this.address = pulumi.all([address, server.id]).apply(([known]) => known);
        this.exports = pulumi.output(Object.keys(args.exports).sort());
        this.fingerprint = fingerprintOf(server);
        this.owner = clusterId;
        this.registerOutputs({
            address: this.address,
            exports: this.exports,
            fingerprint: this.fingerprint,
            owner: this.owner,
            snapshots: this.snapshots,
        });
    }
}
