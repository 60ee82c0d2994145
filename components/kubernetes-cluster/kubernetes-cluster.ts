import * as pulumi from "@pulumi/pulumi";
import { ClusterRecord } from "../../provider/adapters/dynamic";
import { adminExpiry, type CertificateExpiry, earliest } from "../../provider/common/expiry";
import type { KubernetesClusterArgs } from "../args/args";
import { certificateText, mapClusterCertificates } from "../common/certificate-files";
import { hookList } from "../common/hook-list";
import { reading } from "../common/invalid-input";
import { infrastructureOf } from "../infrastructure/select";
import { problemsWhenKnown, validate } from "../validation/validate";
import { versionWarnings } from "../validation/version-warnings";
import { vipWarnings } from "../validation/vip-network";
import { noteReadiness, type Vim } from "../vim/vim";
import { endpointOf, makeAccess } from "./access";
import { makeAddOns } from "./add-ons";
import { makeHooks } from "./cluster-hooks";
import { clusterIdentity } from "./cluster-identity";
import { clusterParts } from "./cluster-parts";
import { makeSnapshotClasses } from "./cluster-snapshots";
import { makeStorage } from "./cluster-storage";
import { makeStorageClasses } from "./cluster-storage-classes";
import { makeVolumes } from "./cluster-volumes";
import { makeControlPlane } from "./control-plane";
import { endOperation } from "./end-of-operation";
import { makeEtcdBackups } from "./etcd-backups";
import { keptInputs } from "./fixed-values";
import { markSecrets } from "./mark-secrets";
import { makeNodeByNode } from "./node-by-node";
import { makePools } from "./node-pools";
import { openHeals } from "./open-heals";
import { comparedInputs } from "./operation";
import { readFiles } from "./operator-files";
import { afterRotation, makeRotations } from "./rotations";
import { refusedVersion } from "./version-refusal";
import { wishesOf } from "./wishes";

/**
 * A highly available Kubernetes cluster on machines: control-plane nodes with stacked etcd behind one stable address, pools of workers,
 * a pod network, and access to it as a VIM. See docs/how-it-works.md for its resources and their order.
 */
export class KubernetesCluster extends pulumi.ComponentResource {
    /** URL of the API. */
    readonly endpoint: pulumi.Output<string>;
    /**
     * Administrator access. Known before the first node exists, and unchanged as long as the cluster lives.
     * @secret
     */
    readonly kubeconfig: pulumi.Output<string>;
    /** Id of the cluster; it never changes. */
    readonly clusterId: pulumi.Output<string>;
    /** PEM certificate of the cluster's authority. Between a new word of `rotate.authorities` and its end on the nodes also the former one, behind it. */
    readonly caCertificate: pulumi.Output<string>;
    /** Names of the nodes. */
    readonly nodes: pulumi.Output<string[]>;
    /**
     * What the last `up` with changes did, in the words of ETSI NFV's operations: `scale out workers +1 (w3)`. Several operations are listed in their
     * order. A run without changes keeps the value.
     */
    readonly operation: pulumi.Output<string>;
    /**
     * Number of the last operation, as text: `"7"`. Preview knows it. Each operation has another one, so resources of your own can be triggered by it:
     * `triggers: [cluster.operationId]`, with `dependsOn: [cluster]`. A run without changes keeps the value.
     */
    readonly operationId: pulumi.Output<string>;
    /**
     * The cluster's certificate that expires first (`certificate`), its node (`node`) and its end (`expires`, ISO 8601), as last seen by `up` or a
     * refresh. The kubelet renews its own certificates, so they count only when that is overdue. `vim.tokenExpires` is the end of the token.
     */
    readonly earliestExpiry: pulumi.Output<CertificateExpiry>;
    /** The last snapshot of etcd that is known to be good, as last seen by `up` or a refresh: `time` (ISO 8601), `id`, `revision`, `node`. Empty: none. */
    readonly etcdSnapshot: pulumi.Output<Record<string, string>>;
    /** Entry of `storage.snapshots` → id of its newest snapshot in the cloud, as `storage.volumes.NAME.snapshotId` takes it. */
    readonly snapshots: pulumi.Output<Record<string, string>>;
    /**
     * SSH host keys of the servers that the cluster has made on a cloud, as lines of a `known_hosts`: `ADDRESS ssh-ed25519 AAAA…`. Empty
     * where the machines, their key pair or their template are yours.
     */
    readonly knownHosts: pulumi.Output<string>;
    /** The cluster as a VIM; ready when the control-plane nodes are. */
    readonly vim: Vim;

    // The edges made here set the order of each operation; docs/operations.md is made from them.
    constructor(name: string, args: KubernetesClusterArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:KubernetesCluster", name, {}, options);
        validate("KubernetesCluster", name, args);
        for (const warning of [...versionWarnings(args, new Date()), ...vipWarnings(args as never)])
            void pulumi.log.warn(warning, this);
        const marked = markSecrets(mapClusterCertificates(args, certificateText));
        const clusterName = marked.clusterName ?? name;
        const refused = refusedVersion(args, clusterName);
        const { files, hookSpecs, infrastructure } = reading("KubernetesCluster", name, () => ({
            files: readFiles(marked),
            hookSpecs: hookList(marked.hooks ?? []),
            infrastructure: infrastructureOf({ name, args: marked, parent: this, problems: refused }),
        }));
        const { parent, preflight } = infrastructure;
        const problems = pulumi
            .all([problemsWhenKnown("KubernetesCluster", name, args), refused])
            .apply(found => found.filter(each => each !== undefined).join("\n") || undefined);
        const kept = keptInputs(args, name, infrastructure);
        const identity = clusterIdentity(
            name,
            { clusterName, problems, kept },
            { parent, dependsOn: [...preflight] },
            args.rotate,
        );
        const { clusterId, fingerprintKey } = identity;
        const contents = {
            "kubernetes.source": files.bundleFiles,
            "network.cniManifests": files.cniManifests,
            ...(marked.hooks && { hooks: hookSpecs.map(({ hash }) => hash) }),
            ...(marked.storage && { storage: files.persistentVolumes }),
            ...infrastructure.fileContents,
        };
        const compared = comparedInputs(marked, name, contents, fingerprintKey);
        const wishes = wishesOf({ args: marked, name, infrastructure, files }, fingerprintKey);
        const hooks = makeHooks({ name, clusterName, list: hookSpecs, clusterId, parent });
        // If the identity's check refuses the inputs, nothing is noted.
        const record = new ClusterRecord(
            name,
            { clusterId, wishes, openHeals: openHeals(clusterId, args, infrastructure.nodes) },
            { parent, dependsOn: [identity.resource] },
        );
        const provisioned = infrastructure.provision({ clusterId, fingerprintKey, compared, kept, record, hooks });

        const cluster = clusterParts({
            name,
            clusterName,
            args: marked,
            identity,
            provisioned,
            record,
            kept,
            parent,
            files,
        });
        const endpoint = endpointOf(cluster, provisioned.addresses.apiHost);
        const storage = makeStorage(cluster, marked.storage, {
            endpoint,
            ssh: provisioned.ssh,
            proxy: marked.proxy,
            made: provisioned.storage,
        });
        const controlPlane = makeControlPlane(cluster, this, storage, marked);
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
        this.etcdSnapshot = etcdBackups.last;
        const reaching = [end, ...etcdBackups.made, ...(backups ? [backups] : [])];
        provisioned.rotateLogin?.(reaching, cluster.unchecked);
        this.knownHosts = provisioned.knownHosts ?? pulumi.output("");
        this.snapshots = provisioned.storage?.takeSnapshots([end]) ?? pulumi.output<Record<string, string>>({});

        this.endpoint = endpoint;
        this.kubeconfig = access.kubeconfig;
        this.vim = access.vim;
        this.clusterId = clusterId;
        this.caCertificate = reached.identity.caCertificate;
        this.earliestExpiry = pulumi
            .all([end.earliestExpiry, reached.identity.adminCertificate])
            .apply(([onNodes, admin]) => earliest([onNodes, adminExpiry(admin)].filter(each => each !== undefined))!);
        this.nodes = pulumi.output(cluster.nodes.map(node => node.name));
        this.operation = provisioned.start.operation.apply(line => line ?? "");
        this.operationId = provisioned.start.operations.apply(number => String(number ?? 0));
        this.registerOutputs({
            endpoint: this.endpoint,
            kubeconfig: this.kubeconfig,
            clusterId: this.clusterId,
            caCertificate: this.caCertificate,
            nodes: this.nodes,
            operation: this.operation,
            operationId: this.operationId,
            earliestExpiry: this.earliestExpiry,
            etcdSnapshot: this.etcdSnapshot,
            snapshots: this.snapshots,
            knownHosts: this.knownHosts,
        });
    }
}
