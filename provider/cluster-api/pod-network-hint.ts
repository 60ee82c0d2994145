/** What a kubelet says where no pod network has configured the container runtime. */
const noPodNetwork = /cni plugin not initialized|cni config uninitialized|NetworkPluginNotReady/i;

const look =
    "Where it is given, look why its pods do not run: kubectl -n kube-system get pods, with the cluster's kubeconfig.";

/** By whose pod network the cluster has; undefined: the user's own objects bring one, or none. */
const hints: Record<string, string> = {
    "": `Objects of your own, like CAPO's templates, bring no pod network: give it as addOns: ["./network.yaml"]. ${look}`,
    "your own": `The program leaves the pod network to you: give it as network.cniManifests (with cni: "manifests") or as addOns. ${look}`,
    bridge: "The pod network bridge does not run: the machines' image must have kubectl (network.kubectlPath) and its image (network.image). Look at kubectl -n kube-system get pods, with the cluster's kubeconfig.",
    flannel:
        "The pod network flannel does not run: the machines must get its images (network.image). Look at kubectl -n kube-flannel get pods, with the cluster's kubeconfig.",
};

/** What to do where nodes are not ready for want of a pod network, which the error's text says; undefined: that is not the cause. Pure. */
export function podNetworkHint(text: string, cni: string | undefined): string | undefined {
    return noPodNetwork.test(text) ? hints[cni ?? ""] : undefined;
}
