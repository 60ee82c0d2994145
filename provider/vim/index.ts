export { makeAccount, removeAccount, requireRights, reviewRules, settleSeconds, untilAccepted } from "./account";
export { ApiRefused, isInsecure, KubeApi, type KubeObject } from "./api";
export { NotYet, settle } from "./client";
export { type VimConnectionInfo, vimConnectionInfo } from "./connection-info";
export { accountName, accountObjects, defaultRules } from "./objects";
export type { OidcAuth, PolicyRule, ServiceAccountSpec, VimAuth, VimEndpoint } from "./types";
