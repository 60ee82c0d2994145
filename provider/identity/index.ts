export { newKubeletClient, trusted, withNewAuthorities } from "./authorities";
export {
    type Bridges,
    type Certificates,
    type ClusterId,
    caCertHash,
    clusterNameProblem,
    controlPlaneKeys,
    defaultValidDays,
    type Exchanged,
    type KeySet,
    newClusterId,
    newEncryptionKey,
    newKeySet,
    newServiceAccountKey,
    type PrivateKeys,
} from "./identity";
export { renderKubeconfig } from "./kubeconfig";
