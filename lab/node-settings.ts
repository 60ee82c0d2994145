/** Fields of KubeletConfiguration: nodes of a lab share one disk, and how full that is says nothing about a node. */
export const labKubelet = {
    imageGCHighThresholdPercent: 100,
    evictionHard: { "nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%" },
};

/** Fields of KubeProxyConfiguration: they share one kernel, whose limits of connections are not a node's to set. */
export const labKubeProxy = { conntrack: { maxPerCore: 0, min: 0 } };
