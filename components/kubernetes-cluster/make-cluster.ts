import * as pulumi from "@pulumi/pulumi";
import { adminExpiry, earliest } from "../../provider/common/expiry";
import { noteReadiness } from "../vim/vim";
import { endpointOf, makeAccess } from "./access";
import { makeAddOns } from "./add-ons";
import type { BegunCluster } from "./begin-cluster";
import { makeSnapshotClasses } from "./cluster-snapshots";
import { makeStorage } from "./cluster-storage";
import { makeStorageClasses } from "./cluster-storage-classes";
import { makeVolumes } from "./cluster-volumes";
import { makeControlPlane } from "./control-plane";
import { endOperation } from "./end-of-operation";
import { makeEtcdBackups } from "./etcd-backups";
import { makeNodeByNode } from "./node-by-node";
import { makePools } from "./node-pools";
import { afterRotation, makeRotations } from "./rotations";

/** Makes what runs in the cluster. The edges made here set the order of each operation; docs/operations.md is made from them. */
export function makeCluster(component: pulumi.ComponentResource, begun: BegunCluster) {
    const { args, marked, files, cluster, provisioned, hooks } = begun;
    const endpoint = endpointOf(cluster, provisioned.addresses.apiHost);
    const storage = makeStorage(cluster, marked.storage, {
        endpoint,
        ssh: provisioned.ssh,
        proxy: marked.proxy,
        made: provisioned.storage,
    });
    const controlPlane = makeControlPlane(cluster, component, storage, marked);
    const workers = makePools(cluster, controlPlane, storage);
    const { network, cloudProvider } = makeAddOns(cluster, controlPlane, provisioned);
    const rotations = makeRotations(cluster, args.rotate, [...controlPlane, ...workers]);
    const reached = afterRotation(cluster, rotations.authorities);
    const access = makeAccess(reached, endpoint, args.vim, [...controlPlane, network, ...rotations.all]);
    const inCluster = { endpoint, controlPlane, ...(storage && { storage }) };
    const volumes = makeVolumes(reached, marked.storage, files.persistentVolumes ?? {}, inCluster);
    const running = [...controlPlane, network, ...(cloudProvider ? [cloudProvider] : [])];
    const snapshots = makeSnapshotClasses(reached, marked, { endpoint, after: running });
    const after = [...running, ...(snapshots ? [snapshots] : [])];
    const classes = makeStorageClasses(reached, marked.storage, { ...inCluster, after });
    const made = [cloudProvider, volumes, snapshots, classes, ...rotations.all].filter(each => each !== undefined);
    const before = [network, access.vim, ...made];
    const last = [...before, ...makeNodeByNode(reached, args, [...controlPlane, ...workers, ...before])];
    const end = endOperation(reached, {
        made: [...controlPlane, ...workers],
        after: last,
        endpoint,
        served: storage?.served,
        hooks: hooks && {
            hooks: { ...hooks.input, addresses: provisioned.addresses.nodes },
            history: provisioned.start.history,
        },
    });
    noteReadiness(access.vim, end);
    const backups = storage?.makeBackups([end]);
    const etcdBackups = makeEtcdBackups(cluster, marked.etcdBackup, { controlPlane, after: [end] });
    const reaching = [end, ...etcdBackups.made, ...(backups ? [backups] : [])];
    provisioned.rotateLogin?.(reaching, cluster.unchecked);
    return {
        endpoint,
        kubeconfig: access.kubeconfig,
        vim: access.vim,
        clusterId: cluster.identity.clusterId,
        caCertificate: reached.identity.caCertificate,
        earliestExpiry: pulumi
            .all([end.earliestExpiry, reached.identity.adminCertificate])
            .apply(([onNodes, admin]) => earliest([onNodes, adminExpiry(admin)].filter(each => each !== undefined))!),
        nodes: pulumi.output(cluster.nodes.map(node => node.name)),
        operation: provisioned.start.operation.apply(line => line ?? ""),
        operationId: provisioned.start.operations.apply(number => String(number ?? 0)),
        etcdSnapshot: etcdBackups.last,
        snapshots: provisioned.storage?.takeSnapshots([end]) ?? pulumi.output<Record<string, string>>({}),
        knownHosts: provisioned.knownHosts ?? pulumi.output(""),
    };
}
