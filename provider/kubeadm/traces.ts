import { adminConfig } from "../shell/kubectl";
import { kubeadmScript } from "./kubeadm-script";
import { bootstrapConfig, kubeletConfig, kubernetesFolder, pkiFolder } from "./paths";

/**
 * Shell patterns of paths that only a member of some cluster has: kubeadm, kubelet or etcd make them. A machine that
 * merely boots our golden image has none.
 */
const memberPaths = [
    kubeletConfig,
    bootstrapConfig,
    adminConfig,
    `${kubernetesFolder}/controller-manager.conf`,
    `${kubernetesFolder}/scheduler.conf`,
    `${pkiFolder}/ca.crt`,
    `${pkiFolder}/etcd/ca.crt`,
    `${pkiFolder}/etcd/server.crt`,
    // kubelet runs whatever is there: kubeadm would refuse the machine later, and a reset moves it away
    `${kubernetesFolder}/manifests/*`,
    "/var/lib/kubelet/kubeconfig",
    "/var/lib/kubelet/pki/kubelet-client-current.pem",
    "/var/lib/etcd/member",
];

/** Files of other installers of Kubernetes, which they leave on each node. We never create any of them. */
export const otherInstallers = [
    "/etc/rancher/k3s",
    "/etc/rancher/rke2",
    "/var/lib/rancher/k3s",
    "/var/lib/rancher/rke2",
    "/etc/k0s",
    "/var/lib/k0s",
    "/var/snap/microk8s",
];

/** Files that exist on a control-plane node from init or join until it is reset. */
export const masterTraces = [adminConfig, "/var/lib/etcd/member"];

/** Files that name an API server and hold its authority's certificate. Their keys and tokens are never read. */
const kubeconfigs = [kubeletConfig, bootstrapConfig, adminConfig, "/var/lib/kubelet/kubeconfig"];

/**
 * Shell: prints, as lines "name=value", to which cluster this machine belongs. Changes nothing. Certificates are
 * printed as base64, because not each machine has openssl; they are public.
 */
export const tracesScript = kubeadmScript("kubeadm/print-traces.sh", {
    TRACES: [...memberPaths, ...otherInstallers].join(" "),
    KUBECONFIGS: kubeconfigs.join(" "),
});
