/** Titles of the steps of machines and nodes in the order in which they run, for previews, which know only titles. A test compares them with the lists of steps. */
const titles: readonly string[] = [
    "wait for cloud-init",
    "look whether another machine has the virtual address",
    "keep the original files",
    "check the image's Kubernetes version",
    "set the host name",
    "write names to /etc/hosts",
    "turn swap off",
    "load kernel modules",
    "set kernel parameters",
    "configure the HTTP proxy",
    "trust certificate authorities",
    "check the container runtime",
    "install the container runtime",
    "install what a container runtime needs",
    "stage the container runtime",
    "switch to the bundle's container runtime",
    "check the NFS client",
    "install the NFS client",
    "install or stage Kubernetes packages",
    "stage Kubernetes binaries",
    "link network plugins",
    "stage network plugins",
    "stage container images",
    "configure the container runtime",
    "configure registry mirrors",
    "install kubelet's service",
    "install the load balancer",
    "configure HAProxy",
    "look for other owners of the virtual router id",
    "keep pods from taking the virtual address",
    "close the storage server to pods",
    "close the metadata service to pods",
    "open the metadata service to pods",
    "configure keepalived",
    "switch to the Kubernetes version",
    "place the cluster's keys",
    "place audit policy and encryption settings",
    "write kubeadm's configuration",
    "initialise or join the cluster",
    "renew certificates",
    "wait for the API server",
    "apply control-plane settings",
    "apply kubelet settings",
    "set labels and taints",
];

const places = new Map(titles.map((title, place) => [title, place]));

/** In the order in which they run; first what is no step of these lists, such as a cure. Pure. */
export function inOrderOfRun<T extends { title: string }>(steps: readonly T[]): T[] {
    const placeOf = ({ title }: T) => places.get(title) ?? -1;
    return [...steps].sort((a, b) => placeOf(a) - placeOf(b));
}
