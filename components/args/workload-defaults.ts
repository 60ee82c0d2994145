/** Of a `WorkloadCluster` with typed inputs. */
export const workloadDefaults = {
    namespace: "default",
    timeoutSeconds: 1800,
    sendSeconds: 60,
    nodeCidr: "10.6.0.0/24",
    cloudName: "openstack",
    apiAccess: "floating-ip",
    network: { podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16", dnsDomain: "cluster.local", cni: "bridge" },
    healthCheck: { notReadySeconds: 300, startupSeconds: 1200, controlPlane: true },
};
