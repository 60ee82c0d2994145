/**
 * Fields of KubeletConfiguration. All nodes of a lab share one disk, so its usage must not trigger evictions. The machine of a lab may have
 * cgroups v1, with which kubelet starts since 1.35 only if told so.
 */
export const labKubelet = {
    failCgroupV1: false,
    imageGCHighThresholdPercent: 100,
    evictionHard: { "nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%" },
};

/** Fields of KubeProxyConfiguration. All nodes share one kernel, so a node must not set its connection limits. */
export const labKubeProxy = { conntrack: { maxPerCore: 0, min: 0 } };
