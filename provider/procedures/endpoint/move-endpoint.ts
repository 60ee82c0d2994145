import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { appliedFolder, bootstrapConfig, kubeletConfig, kubernetesFolder } from "../../kubeadm/paths";

/** All kubeconfigs that kubeadm made on a node. */
const kubeconfigs = [
    kubeletConfig,
    bootstrapConfig,
    ...["admin", "super-admin", "controller-manager", "scheduler"].map(name => `${kubernetesFolder}/${name}.conf`),
].join(" ");

/** The command that prints a node's endpoints; fake nodes in tests recognise it. */
export const endpointArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-endpoint"];

/** The endpoints that a node uses, and the former ones that it still serves or knows. */
export interface EndpointLook {
    /** API servers in its kubeconfigs. */
    servers: string[];
    /** Former endpoints as recorded on the node: one JSON object each. */
    formers: string[];
}

/** Prints an EndpointLook as lines "name=value". Changes nothing. */
export const lookScript = kubeadmScript("procedures/endpoint/print-endpoints.sh", { KUBECONFIGS: kubeconfigs });

export function parseLook(text: string): EndpointLook {
    const all = (name: string) =>
        text
            .split("\n")
            .filter(line => line.startsWith(`${name}=`))
            .map(line => line.slice(name.length + 1).trim());
    return { servers: [...new Set(all("server"))], formers: all("former") };
}

/**
 * Runs on each control-plane node before the first node moves: proves that its API server's certificate has the new
 * name and that the API answers through the new endpoint. Wants ADDRESS, HOST, URL.
 */
export const proveScript = kubeadmScript("procedures/endpoint/prove-endpoint.sh");

/**
 * Runs on one control-plane node when all of them serve the new endpoint: writes it where joining nodes, kubeadm's
 * later runs and kube-proxy read it. Wants URL.
 */
export const tellClusterScript = kubeadmScript("procedures/endpoint/tell-cluster-endpoint.sh");

/**
 * Runs on a node: writes the new endpoint into its kubeconfigs and restarts kubelet if it uses the endpoint. Ends when
 * the new kubelet has renewed the node's lease and the node is Ready: both go through the new endpoint. Wants URL,
 * NAME, ADDRESS.
 */
export const moveNodeScript = kubeadmScript("procedures/endpoint/move-node-endpoint.sh", {
    KUBECONFIGS: kubeconfigs,
    // The endpoint with which kubelet was last started and proven to work. Missing while kubelet may use another one.
    MOVED_FILE: `${appliedFolder}/endpoint`,
    // Controllers whose file has changed and that must still be restarted, one a line.
    RESTART_FILE: `${appliedFolder}/restart-controllers`,
});

/** Runs on a control-plane node: tests whether the cluster's own configuration names PLACE as its endpoint. */
export const endpointReachedScript = kubeadmScript("procedures/endpoint/endpoint-reached.sh");

/** Looks whether it does. */
export const observeEndpoint = { script: kubeadmScript("procedures/endpoint/observe-endpoint.sh") };
