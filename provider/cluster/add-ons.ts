import { kubeadmScript } from "../kubeadm/kubeadm-script";
import { step } from "../steps/step";
import type { KnownStep } from "../steps/types";

// the script itself sets the manifest
const observe = { script: kubeadmScript("cluster/observe-addon.sh"), env: { MANIFEST: "" } };

/**
 * What kubeadm makes in the cluster besides its nodes: objects and rights of its add-ons. kubeadm has made them when a node was initialised, settings
 * were applied or versions were changed, so these run only where a refresh found them changed.
 */
const kubeProxy = step<unknown>({
    id: "cluster.kube-proxy",
    title: "apply kube-proxy",
    disruptive: "kube-proxy's pods restart on all nodes if their settings differ; its rules stay meanwhile",
})(() => ({
    revision: 1,
    env: { ADDON: "kube-proxy" },
    run: kubeadmScript("cluster/apply-kube-proxy-again.sh"),
    observe,
    timeoutSeconds: 600,
}));

/** Its address and its rights: without them no name is found. Its settings and replicas are the users'. */
const coreDns = step<unknown>({ id: "cluster.coredns", title: "apply CoreDNS" })(() => ({
    revision: 1,
    env: { ADDON: "coredns" },
    run: kubeadmScript("cluster/apply-coredns-again.sh"),
    observe,
    timeoutSeconds: 120,
}));

export const addOnSteps: KnownStep<unknown>[] = [kubeProxy, coreDns];
