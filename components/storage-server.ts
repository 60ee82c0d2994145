import * as pulumi from "@pulumi/pulumi";
import { ClusterId } from "../provider/dynamic";
import { sshTarget } from "./ssh-target";
import { storagePlan } from "./storage/storage-plan";
import { backupsResource, fingerprintOf, storageResource } from "./storage/storage-resource";
import type { StorageServerArgs } from "./storage-args";
import { problemsWhenKnown, validate } from "./validate";

/**
 * A machine that serves volumes over NFS, for several clusters or other machines. A cluster with a server of its own has the input `storage` instead.
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

    constructor(name: string, args: StorageServerArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:StorageServer", name, {}, options);
        validate("StorageServer", name, args);
        const problems = problemsWhenKnown("StorageServer", name, args);
        const identity = new ClusterId(name, { clusterName: name, problems }, { parent: this });
        const { address } = args.server;
        const machine = {
            name,
            draft: storagePlan(args, { name, address }),
            owner: identity.clusterId,
            fingerprintKey: identity.fingerprintKey,
            connection: sshTarget(undefined, args.server),
            programPath: "server",
        };
        const server = storageResource({
            ...machine,
            force: args.force ?? [],
            options: { parent: this, dependsOn: [identity] },
        });
        backupsResource({ ...machine, server, parent: this, after: [] });
        this.address = pulumi.all([address, server.id]).apply(([known]) => known);
        this.exports = pulumi.output(Object.keys(args.exports).sort());
        this.fingerprint = fingerprintOf(server);
        this.owner = identity.clusterId;
        this.registerOutputs({
            address: this.address,
            exports: this.exports,
            fingerprint: this.fingerprint,
            owner: this.owner,
        });
    }
}
