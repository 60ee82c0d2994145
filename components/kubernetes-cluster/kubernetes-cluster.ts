import * as pulumi from "@pulumi/pulumi";
import type { CertificateExpiry } from "../../provider/common/expiry";
import type { KubernetesClusterArgs } from "../args/args";
import { validate } from "../validation/validate";
import { versionWarnings } from "../validation/version-warnings";
import { vipWarnings } from "../validation/vip-network";
import type { Vim } from "../vim/vim";
import { beginCluster } from "./begin-cluster";
import { makeCluster } from "./make-cluster";

/**
 * A highly available Kubernetes cluster on machines: control-plane nodes with stacked etcd behind one stable address, pools of workers,
 * a pod network, and access to it as a VIM. See docs/how-it-works.md for its resources and their order.
 */
export class KubernetesCluster extends pulumi.ComponentResource {
    /** URL of the API. */
    readonly endpoint!: pulumi.Output<string>;
    /**
     * Administrator access. Known before the first node exists, and unchanged as long as the cluster lives.
     * @secret
     */
    readonly kubeconfig!: pulumi.Output<string>;
    /** Id of the cluster; it never changes. */
    readonly clusterId!: pulumi.Output<string>;
    /** PEM certificate of the cluster's authority. Between a new word of `rotate.authorities` and its end on the nodes also the former one, behind it. */
    readonly caCertificate!: pulumi.Output<string>;
    /** Names of the nodes. */
    readonly nodes!: pulumi.Output<string[]>;
    /**
     * What the last `up` with changes did, in the words of ETSI NFV's operations: `scale out workers +1 (w3)`. Several operations are listed in their
     * order. A run without changes keeps the value.
     */
    readonly operation!: pulumi.Output<string>;
    /**
     * Number of the last operation, as text: `"7"`. Preview knows it. Each operation has another one, so resources of your own can be triggered by it:
     * `triggers: [cluster.operationId]`, with `dependsOn: [cluster]`. A run without changes keeps the value.
     */
    readonly operationId!: pulumi.Output<string>;
    /**
     * The cluster's certificate that expires first (`certificate`), its node (`node`) and its end (`expires`, ISO 8601), as last seen by `up` or a
     * refresh. The kubelet renews its own certificates, so they count only when that is overdue. `vim.tokenExpires` is the end of the token.
     */
    readonly earliestExpiry!: pulumi.Output<CertificateExpiry>;
    /** The last snapshot of etcd that is known to be good, as last seen by `up` or a refresh: `time` (ISO 8601), `id`, `revision`, `node`. Empty: none. */
    readonly etcdSnapshot!: pulumi.Output<Record<string, string>>;
    /** Entry of `storage.snapshots` → id of its newest snapshot in the cloud, as `storage.volumes.NAME.snapshotId` takes it. */
    readonly snapshots!: pulumi.Output<Record<string, string>>;
    /**
     * SSH host keys of the servers that the cluster has made on a cloud, as lines of a `known_hosts`: `ADDRESS ssh-ed25519 AAAA…`. Empty
     * where the machines, their key pair or their template are yours.
     */
    readonly knownHosts!: pulumi.Output<string>;
    /** The cluster as a VIM; ready when the control-plane nodes are. */
    readonly vim!: Vim;

    constructor(name: string, args: KubernetesClusterArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:KubernetesCluster", name, {}, options);
        validate("KubernetesCluster", name, args);
        for (const warning of [...versionWarnings(args, new Date()), ...vipWarnings(args as never)])
            void pulumi.log.warn(warning, this);
        const { vim, ...outputs } = makeCluster(this, beginCluster(this, name, args));
        Object.assign(this, { ...outputs, vim });
        this.registerOutputs(outputs);
    }
}
