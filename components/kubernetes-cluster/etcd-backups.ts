import * as pulumi from "@pulumi/pulumi";
import { type Args, type DeepInput, EtcdBackup, type Node } from "../../provider/adapters/dynamic";
import type { EtcdBackupInputs } from "../../provider/etcd/etcd-backup";
import { etcdBackupSteps } from "../../provider/etcd/snapshot-steps";
import type { EtcdBackupSpec, LastSnapshot } from "../../provider/etcd/spec";
import type { EtcdBackupArgs } from "../args/etcd-args";
import { endOf } from "../common/end-of";
import { resourceName } from "../common/resource-name";
import { plannedSteps } from "../preview/planned-steps";
import { type Cluster, sampleOf } from "./cluster-parts";
import { etcdBackupSpecs } from "./etcd-backup-plan";
import { changeNumberOf } from "./wishes";

interface Surroundings {
    /** The Nodes of the control plane, in the order of the machines. */
    controlPlane: readonly Node[];
    /** What must not wait for a repository that cannot be reached. */
    after: readonly pulumi.Resource[];
}

export interface EtcdBackups {
    made: pulumi.Resource[];
    /** The last good one. */
    last: pulumi.Output<Record<string, string>>;
}

/** The snapshots of etcd on each control-plane node, one node after another: the first makes the repository. */
export function makeEtcdBackups(
    cluster: Cluster,
    given: EtcdBackupArgs | undefined,
    { controlPlane, after }: Surroundings,
): EtcdBackups {
    const { identity, parent, unchecked } = cluster;
    const { clusterId, fingerprintKey } = identity;
    const machines = cluster.nodes.filter(({ role }) => role === "controlPlane");
    const end = endOf(after);
    const made: EtcdBackup[] = [];
    for (const [i, draft] of etcdBackupSpecs(given, machines).entries()) {
        const { name, connection, programPath } = machines[i]!;
        const node = controlPlane[i]!;
        const spec = { ...draft, clusterId } as unknown as DeepInput<EtcdBackupSpec>;
        const sample = { clusterId: sampleOf(cluster).clusterId };
        const inputs = {
            spec,
            steps: plannedSteps<EtcdBackupSpec>(etcdBackupSteps, spec, fingerprintKey, sample),
            fingerprintKey,
            connection,
            nodeId: node.id,
            programPath: end.then(() => programPath),
            changeNumber: changeNumberOf(cluster, `etcd ${name}`),
            ...unchecked,
        };
        // With its Node a machine leaves the cluster, and is reset.
        const options = { parent, dependsOn: [node, ...made.slice(-1)], deletedWith: node };
        made.push(new EtcdBackup(resourceName(cluster, name), inputs as unknown as Args<EtcdBackupInputs>, options));
    }
    const found = made.map(({ last }) => last as pulumi.Output<LastSnapshot | undefined>);
    const last = pulumi
        .all(found)
        .apply(all => newest(all.map((each, i) => each && { ...each, node: machines[i]!.name })));
    return { made, last };
}

function newest(all: readonly (Record<string, string> | undefined)[]): Record<string, string> {
    const made = all.filter(each => each !== undefined);
    return made.sort((a, b) => (a["time"]! < b["time"]! ? 1 : -1))[0] ?? {};
}
