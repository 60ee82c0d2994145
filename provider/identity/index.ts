export {
    caCertHash,
    clusterKeys,
    clusterNameProblem,
    createIdentity,
    defaultValidDays,
    type Identity,
    type IdentityOptions,
    publicIdentity,
} from "./identity";
export { type KubeconfigOptions, renderKubeconfig } from "./kubeconfig";
