import { metadataGuard } from "../../provider/node/guard-metadata";
import type { TaintArgs } from "../args/args";
import type { WorkloadKubeadmArgs } from "../args/workload-inputs";

/** Prefixes of labels that Cluster API itself puts on nodes, and keeps. https://cluster-api.sigs.k8s.io/reference/api/metadata-propagation */
const kept = ["node-role.kubernetes.io", "node-restriction.kubernetes.io", "node.cluster.x-k8s.io"];

/** Labels that Cluster API keeps, and those that only a kubelet can set, when its node joins. */
export function splitLabels(labels: Record<string, string> = {}): {
    ofMachines: Record<string, string>;
    ofKubelet: Record<string, string>;
} {
    const isKept = (label: string) => {
        const prefix = label.split("/")[0]!;
        return kept.some(each => prefix === each || prefix.endsWith(`.${each}`));
    };
    const pick = (wanted: boolean) =>
        Object.fromEntries(Object.entries(labels).filter(([label]) => isKept(label) === wanted));
    return { ofMachines: pick(true), ofKubelet: pick(false) };
}

export interface NodeWish {
    labels?: Record<string, string>;
    taints?: TaintArgs[];
}

/** A machine's node: KubeadmConfigSpec's nodeRegistration. */
export function nodeRegistration(
    { kubeletArgs = {}, externalCloudProvider }: WorkloadKubeadmArgs,
    wish: NodeWish = {},
): object {
    const labels = Object.entries(splitLabels(wish.labels).ofKubelet).map(([key, value]) => `${key}=${value}`);
    const flags: Record<string, string> = {
        // cloud-init knows the server's id. Cluster API finds the node of a machine by it.
        "provider-id": "openstack:///'{{ instance_id }}'",
        ...(externalCloudProvider && { "cloud-provider": "external" }),
        ...(labels.length > 0 && { "node-labels": labels.sort().join(",") }),
        ...kubeletArgs,
    };
    return {
        name: "{{ local_hostname }}",
        kubeletExtraArgs: Object.entries(flags).map(([name, value]) => ({ name, value })),
        ...(wish.taints && { taints: wish.taints }),
    };
}

/**
 * The kubelet takes the first address that its own name has. With systemd's nss-myhostname that is the pod network's bridge once it is there,
 * so the name gets a loopback address, which the kubelet does not take: it goes on to the address of the default route.
 */
const ownName = 'grep -q "^127.0.1.1 " /etc/hosts || echo "127.0.1.1 $(hostname)" >>/etc/hosts';

/** kubeadm refuses a machine that forwards no packets; not every image sets it. */
const forwarding =
    "echo net.ipv4.ip_forward=1 >/etc/sysctl.d/90-pulumi-nfv.conf && sysctl -q -p /etc/sysctl.d/90-pulumi-nfv.conf";

/** The user data of a machine has a token to join with, that of a control-plane machine the keys of all authorities. A machine that cannot keep pods from it does not join. */
const closeMetadata = `${metadataGuard.command} || { echo "pods would reach the metadata service: it takes nftables to close it" >&2; exit 1; }`;

/** Files and commands of every machine. */
export function machineSetUp(
    { preCommands = [], postCommands, files = {} }: WorkloadKubeadmArgs,
    podsReachMetadata = false,
): object {
    const own = podsReachMetadata ? [] : metadataGuard.files;
    const all = [...own, ...Object.entries(files).map(([path, content]) => ({ path, content }))];
    return {
        ...(all.length > 0 && { files: all.map(each => ({ ...each, owner: "root:root", permissions: "0644" })) }),
        preKubeadmCommands: [ownName, forwarding, ...(podsReachMetadata ? [] : [closeMetadata]), ...preCommands],
        ...(postCommands && { postKubeadmCommands: postCommands }),
    };
}
