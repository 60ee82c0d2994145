/** From when on something counts as a finding. */
export interface Limits {
    /** Time without Ready, in seconds. */
    notReadySeconds: number;
    /** Time after a boot in which services and static pods may still be starting, in seconds. */
    bootSeconds: number;
    /** Share of etcd's quota, from 0 to 1. */
    etcdShare: number;
    /** kubelet's thresholds where its settings have none. */
    evictions: Readonly<Record<string, string>>;
}

export const usualLimits: Limits = {
    // Kubernetes itself waits so long before it starts a node's pods elsewhere: a reboot or a cut cable is over before.
    notReadySeconds: 300,
    // As long as a run waits for an API server after it interrupted it. Nodes of the lab need 12 to 92 s.
    bootSeconds: 300,
    // Events and leases of a busy hour must still have room.
    etcdShare: 0.8,
    // https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#hard-eviction-thresholds
    evictions: {
        "nodefs.available": "10%",
        "nodefs.inodesFree": "5%",
        "imagefs.available": "15%",
        "imagefs.inodesFree": "5%",
    },
};
