export * from "./args";
export type * from "./cloud-provider-args";
export { Cnf } from "./cnf";
export type { CnfArgs } from "./cnf-args";
export type * from "./infrastructure-args";
export { KubernetesCluster } from "./kubernetes-cluster/kubernetes-cluster";
export type * from "./ssh-args";
export { Vim } from "./vim";
export type { OidcArgs, PolicyRuleArgs, ServiceAccountArgs, VimArgs, VimAuthArgs } from "./vim-args";
