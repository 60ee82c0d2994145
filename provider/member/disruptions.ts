const signingKey = "the API server of this machine restarts, and its controller manager with another key that signs";
const staticPods = "etcd, API server, controller manager and scheduler of this machine restart, one after another";
const runtimeRestarts = "containerd restarts: pods go on, kubelet waits; sessions of `kubectl exec` on this node end";
const kubeletAlone = "kubelet restarts; pods go on";

/**
 * What a step interrupts on a machine that is a member of its cluster: title of the step → what, for previews, which know
 * only titles. A test compares it with the `disruptive` of the steps themselves.
 */
export const disruptions: Readonly<Record<string, string>> = {
    "configure the container runtime": runtimeRestarts,
    "switch to the bundle's container runtime": runtimeRestarts,
    "configure the HTTP proxy":
        "containerd and kubelet restart: pods go on; sessions of `kubectl exec` and `logs` on this node end",
    "apply control-plane settings":
        "those static pods of this machine restart whose settings differ, also etcd; kube-proxy's pods on all nodes if theirs do",
    "apply kubelet settings": "kubelet restarts: pods go on",
    "place audit policy and encryption settings": "with another audit policy the API server of this machine restarts",
    "renew certificates":
        "only where one is due, kubelet restarts, and on a control-plane node its static pods one after another; other pods go on",
    "apply kube-proxy": "kube-proxy's pods restart on all nodes if their settings differ; its rules stay meanwhile",
    "configure the NFS server": "the NFS server restarts: clients pause",
    "accept tokens of the new service-account key": signingKey,
    "sign tokens with the new service-account key": signingKey,
    "accept no tokens of the former service-account key": signingKey,
    "get certificates of the new authorities": staticPods,
    "trust the new authorities alone": staticPods,
    "get kubelet's certificate of the new authority": kubeletAlone,
    "trust the new authority alone": kubeletAlone,
};
