import type * as pulumi from "@pulumi/pulumi";
import { type Args, EtcdRestore } from "../../provider/dynamic";
import type { EtcdRestoreInputs } from "../../provider/resources/etcd-restore";
import type { KubernetesClusterArgs } from "../args";
import { resticSpec } from "../storage/backup-plan";
import type { Cluster } from "./cluster-parts";

export type RestoreRequest = Pick<KubernetesClusterArgs, "etcdBackup" | "etcdRestore">;

/** A snapshot that comes back before any node is touched, but after the machines are prepared. */
export function makeEtcdRestore(
    cluster: Cluster,
    { etcdBackup, etcdRestore }: RestoreRequest,
    hosts: readonly pulumi.Resource[],
): EtcdRestore | undefined {
    if (etcdRestore === undefined || etcdBackup === undefined) return undefined;
    const { run, snapshot = "latest" } = etcdRestore;
    const { program, run: _, ...others } = etcdBackup;
    // The same settings as those of the snapshots: the files on the machines are the same ones.
    const backup = { ...resticSpec(others), ...(program !== undefined && { program }) };
    const workers = cluster.nodes.filter(({ role }) => role === "worker");
    const onMaster = `etcd and the API server stop; etcd's data becomes that of the snapshot ${snapshot}, the former data is kept; they start again`;
    const inputs = {
        spec: { clusterId: cluster.identity.clusterId, run, snapshot, backup },
        controlPlane: cluster.controlPlane,
        workers: workers.map(({ name, connection }) => ({ name, connection })),
        nodes: Object.fromEntries(
            cluster.nodes.map(({ name, role }) => [
                name,
                role === "worker" ? "kubelet restarts; pods keep running" : onMaster,
            ]),
        ),
        ...cluster.unchecked,
    };
    return new EtcdRestore(cluster.name, inputs as unknown as Args<EtcdRestoreInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...hosts],
    });
}
