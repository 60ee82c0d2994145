/**
 * What those who deploy into namespaces may use beyond them: docs/security.md. Rules for pods hold in namespaces of Pod Security's levels `baseline` and
 * `restricted`; in others, pods can be root on their node.
 */
export interface TenantsArgs {
    /**
     * Addresses and networks that Services may have as `externalIPs` and ask for as `loadBalancerIP`: `["192.0.2.0/28"]`. kube-proxy sends what each node
     * receives or sends for such an address to the Service's pods. Addresses of nodes, of the API and of the storage server are refused all the same.
     * @default none: Services with these fields are refused; those that exist keep them
     */
    externalIps?: string[];
    /**
     * NFS servers that a pod may mount without a claim (`volumes: [{ nfs: … }]`), exactly as the pod writes them: `["filer.site"]`. Name none that serves
     * several namespaces: a pod mounts every export that its node may mount.
     * @default none: pods mount network volumes by claims only
     */
    nfsServers?: string[];
    /**
     * Pods may name their node (`nodeName`) and tolerate the taints of control-plane nodes. There they can fill the disk of etcd.
     * @default false
     */
    controlPlaneNodes?: boolean;
}
