import { stateFolder } from "../shell/folders";
import { adminConfig } from "../shell/kubectl";
import { sh } from "../shell/script";
import { bootstrapConfig, kubeletConfig, kubernetesFolder, pkiFolder } from "./paths";

/** What only a member of some cluster has, made by kubeadm, kubelet or etcd. A machine with a golden image has none of it. Patterns of the shell. */
const memberPaths = [
    kubeletConfig,
    bootstrapConfig,
    adminConfig,
    `${kubernetesFolder}/controller-manager.conf`,
    `${kubernetesFolder}/scheduler.conf`,
    `${pkiFolder}/ca.crt`,
    `${pkiFolder}/etcd/ca.crt`,
    `${pkiFolder}/etcd/server.crt`,
    // whatever kubelet runs from there: kubeadm would refuse the machine later, and a reset moves it away
    `${kubernetesFolder}/manifests/*`,
    "/var/lib/kubelet/kubeconfig",
    "/var/lib/kubelet/pki/kubelet-client-current.pem",
    "/var/lib/etcd/member",
];

/** What other ways of installing Kubernetes leave on each of their nodes. Ours never makes any of it. */
export const otherInstallers = [
    "/etc/rancher/k3s",
    "/etc/rancher/rke2",
    "/var/lib/rancher/k3s",
    "/var/lib/rancher/rke2",
    "/etc/k0s",
    "/var/lib/k0s",
    "/var/snap/microk8s",
];

/** What a master has once init or join has made it one, and keeps until it is reset. */
export const masterTraces = [adminConfig, "/var/lib/etcd/member"];

/** Files that name an API server and hold the certificate of its authority. Their keys and tokens are never read. */
const kubeconfigs = [kubeletConfig, bootstrapConfig, adminConfig, "/var/lib/kubelet/kubeconfig"];

/**
 * Shell: prints as lines "name=value" what shows whose machine this is. Changes nothing. Certificates go out as base64, for not every
 * machine has openssl; they are public.
 */
export const tracesScript = sh`
    echo "noted=$(cat ${stateFolder}/cluster 2>/dev/null || true)"
    for trace in ${[...memberPaths, ...otherInstallers].join(" ")}; do
        [ ! -e "$trace" ] || echo "trace=$trace"
    done
    encoded() { base64 | tr -d '\\n'; }
    if [ -e ${pkiFolder}/ca.crt ]; then echo "authority=$(encoded < ${pkiFolder}/ca.crt)"; fi
    for config in ${kubeconfigs.join(" ")}; do
        [ -e "$config" ] || continue
        sed -n 's/^ *certificate-authority-data: */authority=/p; s/^ *server: */server=/p' "$config"
    done
    if [ -e /var/lib/kubelet/pki/kubelet-client-current.pem ]; then
        echo "certificate=$(awk '/-BEGIN CERT/,/-END CERT/' /var/lib/kubelet/pki/kubelet-client-current.pem | encoded)"
    fi
`;
