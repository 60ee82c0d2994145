import * as pulumi from "@pulumi/pulumi";
import { type Args, EtcdRestore } from "../../provider/adapters/dynamic";
import { identityOfKeys } from "../../provider/etcd/keys-identity";
import type { EtcdRestoreInputs } from "../../provider/procedures/etcd-restore/restore-state";
import type { KubernetesClusterArgs } from "../args/args";
import { resticSpec } from "../storage/backup-plan";
import type { Cluster } from "./cluster-parts";

export type RestoreRequest = Pick<KubernetesClusterArgs, "etcdBackup" | "etcdRestore" | "kubernetes" | "controlPlane">;

/** A snapshot that comes back before any node is touched, but after the machines are prepared. */
export function makeEtcdRestore(
    cluster: Cluster,
    args: RestoreRequest,
    hosts: readonly pulumi.Input<pulumi.Resource>[],
): EtcdRestore | undefined {
    const { etcdBackup, etcdRestore } = args;
    if (etcdRestore === undefined || etcdBackup === undefined) return undefined;
    const { run, snapshot = "latest" } = etcdRestore;
    const { program, run: _, ...others } = etcdBackup;
    // The same settings as those of the snapshots: the files on the machines are the same ones.
    const backup = { ...resticSpec(others), ...(program !== undefined && { program }) };
    const workers = cluster.nodes.filter(({ role }) => role === "worker");
    const inputs = {
        ...{ clusterId: cluster.identity.clusterId, requestId: run, snapshot },
        ...(cluster.ontoNew !== undefined && { ontoNew: ontoNewOf(cluster, args) }),
        backup: pulumi.secret(pulumi.jsonStringify(backup)),
        peers: pulumi.jsonStringify(cluster.controlPlane),
        workers: pulumi.secret(pulumi.jsonStringify(workers.map(({ name, connection }) => ({ name, connection })))),
        nodes: cluster.ontoNew === undefined ? onSame(cluster, snapshot) : onNew(cluster, snapshot),
        ...cluster.unchecked,
    };
    return new EtcdRestore(cluster.name, inputs as unknown as Args<EtcdRestoreInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...hosts],
    });
}

function ontoNewOf({ identity }: Cluster, { kubernetes, controlPlane }: RestoreRequest) {
    const encrypts = controlPlane?.encryptionAtRest?.enabled ?? true;
    const ofKeys = pulumi.output(identity.keys).apply(keys => identityOfKeys(keys, encrypts));
    return { identity: ofKeys, kubernetesVersion: kubernetes.version };
}

/** What happens on each node. */
function onSame({ nodes }: Cluster, snapshot: string): Record<string, string> {
    const onMaster = `etcd and the API server stop; etcd's data becomes that of the snapshot ${snapshot}, the former data is kept; they start again`;
    const onWorker = "kubelet restarts; pods keep running";
    return Object.fromEntries(nodes.map(({ name, role }) => [name, role === "worker" ? onWorker : onMaster]));
}

function onNew({ nodes }: Cluster, snapshot: string): Record<string, string> {
    const [first] = nodes.filter(({ role }) => role === "controlPlane");
    const said = ({ name, role }: Cluster["nodes"][number]) => {
        if (role === "worker") return "pods keep running; kubelet finds the cluster again";
        return name === first!.name
            ? `the snapshot ${snapshot} is fetched; the cluster begins here, with what it has`
            : "joins the cluster that begins with the snapshot, as a new member";
    };
    return Object.fromEntries(nodes.map(node => [node.name, said(node)]));
}
