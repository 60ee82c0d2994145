export type { WorkloadMachine } from "../provider/cluster-api/workload-machines";
export type { CertificateExpiry } from "../provider/common/expiry";
export type {
    HookCluster,
    HookContext,
    HookFacts,
    HookNode,
    HookOperation,
    HookResult,
    KubernetesClient,
    MgmtDriver,
    NodeCommand,
} from "../provider/operation/hooks/contract";
export type { HookEvent } from "../provider/operation/hooks/events";
export type { VimConnectionInfo } from "../provider/vim/connection-info";
export * from "./args";
export type * from "./backup-args";
export type * from "./certificates-args";
export type * from "./cloud-provider-args";
export type * from "./cluster-api-provider-args";
export { Cnf } from "./cnf";
export type { ChartArgs, CnfArgs, ReadinessArgs } from "./cnf-args";
export type * from "./endpoint-args";
export type * from "./etcd-args";
export { fromConfig } from "./from-config";
export type { HealArgs } from "./heal-args";
export type { HookArgs, HookNodesArgs, TackerHookArgs, TackerStackArgs } from "./hook-args";
export type * from "./infrastructure-args";
export { KubernetesCluster } from "./kubernetes-cluster/kubernetes-cluster";
export { ManagementCluster } from "./management-cluster";
export type * from "./management-cluster-args";
export { MovedClusters } from "./moved-clusters";
export type * from "./moved-clusters-args";
export type { OsArgs } from "./os-args";
export { PersistentVolumes } from "./persistent-volumes";
export type { PersistentVolumesArgs } from "./persistent-volumes-args";
export type { ReplaceServersArgs } from "./replace-servers-args";
export type { RotateArgs } from "./rotate-args";
export type * from "./snapshot-args";
export type * from "./source-args";
export type * from "./ssh-args";
export type * from "./storage-args";
export { StorageClasses } from "./storage-classes";
export type { StorageClassesArgs } from "./storage-classes-args";
export { StorageServer } from "./storage-server";
export type { TenantsArgs } from "./tenants-args";
export type { UpgradeOrderArgs } from "./upgrade-args";
export { Vim } from "./vim";
export type { OidcArgs, PolicyRuleArgs, ServiceAccountArgs, VimArgs, VimAuthArgs } from "./vim-args";
export { WorkloadCluster } from "./workload-cluster";
export type * from "./workload-cluster-args";
export type * from "./workload-credential-args";
export type * from "./workload-inputs";
