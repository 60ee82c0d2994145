export {
    type Certificates,
    type ClusterId,
    caCertHash,
    clusterNameProblem,
    controlPlaneKeys,
    defaultValidDays,
    type KeySet,
    newClusterId,
    newEncryptionKey,
    newKeySet,
    newServiceAccountKey,
    type PrivateKeys,
} from "./identity";
export { type KubeconfigOptions, renderKubeconfig } from "./kubeconfig";
