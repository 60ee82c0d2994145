export {
    makeAccount,
    removeAccount,
    removeNamespaces,
    requireRights,
    reviewRules,
    rightsWaitSeconds,
    untilAccepted,
} from "./account";
export { ApiRefused, isInsecure, KubeApi, type KubeObject } from "./api";
export { NotYet, settle } from "./client";
export { askClusterUid, readClusterUid } from "./cluster-uid";
export { type VimConnectionInfo, vimConnectionInfo } from "./connection-info";
export { leftObjects, removeLeft } from "./left-objects";
export {
    type AccountObjects,
    accountName,
    accountNamespaces,
    accountObjects,
    clusterRules,
    namespaceRules,
} from "./objects";
export { enforceLabel, guardingLevels } from "./pod-security";
export type { ServiceAccountSpec, VimAuth, VimEndpoint } from "./types";
