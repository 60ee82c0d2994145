import type { Step } from "../steps";

/** Steps of a machine whose results a refresh does not compare, and why. */
export const notCompared: Readonly<Record<string, string>> = {
    "host.cloud-init": "it only waits",
    "host.virtual-address-free": "it only looks at other machines",
    "host.virtual-router-id": "it only looks at other machines",
    "host.originals": "the copies are from before us: they cannot be made again",
    "host.images": "kubelet itself removes images that nothing uses",
    "cluster.join": "whether the node is in its cluster is seen by the look how it is",
    "node.certificates": "their ends are seen by the look how the machine is",
    "node.api-server-ready": "whether it answers is seen by the look how the machine is",
};

/**
 * Titles of the others, by id: of machines, and of the cluster ("cluster."). A refresh looks at what they left, and `up` does them again where it was changed.
 * `acceptDrift` names them.
 */
export const comparedSteps: Readonly<Record<string, readonly string[]>> = {
    "host.hostname": ["set the host name"],
    "host.hosts-file": ["write names to /etc/hosts"],
    "host.swap": ["turn swap off"],
    "host.kernel-modules": ["load kernel modules"],
    "host.sysctls": ["set kernel parameters"],
    "host.proxy": ["configure the HTTP proxy"],
    "host.certificates": ["trust certificate authorities"],
    "host.container-runtime": [
        "install the container runtime",
        "install what a container runtime needs",
        "check the container runtime",
    ],
    "host.runtime-files": ["stage the container runtime"],
    "host.runtime-switch": ["switch to the bundle's container runtime"],
    "host.container-runtime-config": ["configure the container runtime"],
    "host.registries": ["configure registry mirrors"],
    "host.kubernetes-binaries": ["stage Kubernetes binaries"],
    "host.cni-plugins": ["stage network plugins", "link network plugins"],
    "host.kubelet-service": ["install kubelet's service"],
    "host.load-balancer": ["install the load balancer"],
    "host.haproxy": ["configure HAProxy"],
    "host.virtual-address-guard": ["keep pods from taking the virtual address"],
    "host.storage-guard": ["close the storage server to pods"],
    "host.metadata-guard": ["close the metadata service to pods", "open the metadata service to pods"],
    "host.keepalived": ["configure keepalived"],
    "host.kubernetes-versions": ["check the image's Kubernetes version"],
    "host.kubernetes-packages": ["install or stage Kubernetes packages"],
    "host.nfs-client": ["install the NFS client", "check the NFS client"],
    "node.kubernetes-version": ["switch to the Kubernetes version"],
    "node.keys": ["place the cluster's keys"],
    "node.api-server-files": ["place audit policy and encryption settings"],
    "node.kubeadm-files": ["write kubeadm's configuration"],
    "node.control-plane-settings": ["apply control-plane settings"],
    "node.kubelet-settings": ["apply kubelet settings"],
    "node.labels": ["set labels and taints"],
    "cluster.coredns-apart": ["keep CoreDNS's replicas apart"],
    "cluster.network": ["apply the pod network"],
    "cluster.virtual-address": ["keep Services from taking the virtual address"],
    "cluster.tenants": ["hold tenants back to their namespaces"],
    "cluster.kube-proxy": ["apply kube-proxy"],
    "cluster.coredns": ["apply CoreDNS"],
};

/** The steps of a machine that a refresh looks at. */
export function compared(steps: readonly Step[]): Step[] {
    return steps.filter(({ id }) => !Object.hasOwn(notCompared, id));
}

/** An entry of `acceptDrift`: "TITLE" of a step, or "NODE: TITLE". */
export function acceptedOf(entry: string): { node?: string; step: string } {
    const [, node, step] = /^([a-z0-9][-a-z0-9]*): +(.*)$/.exec(entry) ?? [];
    return node === undefined || step === undefined ? { step: entry } : { node, step };
}

/** The id of a step by its title, or by the id itself; undefined: there is none. */
export function comparedStep(name: string): string | undefined {
    return Object.entries(comparedSteps).find(([id, titles]) => id === name || titles.includes(name))?.[0];
}

/** Ids of the steps whose results others may change on a node; undefined: of the cluster. Sorted. */
export function acceptedSteps(entries: readonly string[] = [], node?: string): string[] {
    const accepted = entries.flatMap(entry => {
        const { node: of, step } = acceptedOf(entry);
        const id = comparedStep(step);
        const isHere = of === undefined || of === node;
        return id !== undefined && isHere && isOfCluster(id) === (node === undefined) ? [id] : [];
    });
    return [...new Set(accepted)].sort();
}

/** Whether the step is one of the cluster as a whole. */
export const isOfCluster = (id: string) => id.startsWith("cluster.");
