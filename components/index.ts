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
export * from "./args/args";
export type * from "./args/backup-args";
export type * from "./args/certificates-args";
export type * from "./args/cloud-provider-args";
export type * from "./args/cluster-api-provider-args";
export type { ChartArgs, CnfArgs, ReadinessArgs } from "./args/cnf-args";
export type * from "./args/endpoint-args";
export type * from "./args/etcd-args";
export type { HealArgs } from "./args/heal-args";
export type { HookArgs, HookNodesArgs, TackerHookArgs, TackerStackArgs } from "./args/hook-args";
export type * from "./args/infrastructure-args";
export type * from "./args/management-cluster-args";
export type * from "./args/moved-clusters-args";
export type { OsArgs } from "./args/os-args";
export type { PersistentVolumesArgs } from "./args/persistent-volumes-args";
export type { ReplaceServersArgs } from "./args/replace-servers-args";
export type { RotateArgs } from "./args/rotate-args";
export type * from "./args/snapshot-args";
export type * from "./args/source-args";
export type * from "./args/ssh-args";
export type * from "./args/storage-args";
export type { StorageClassesArgs } from "./args/storage-classes-args";
export type { TenantsArgs } from "./args/tenants-args";
export type { UpgradeOrderArgs } from "./args/upgrade-args";
export type { OidcArgs, PolicyRuleArgs, ServiceAccountArgs, VimArgs, VimAuthArgs } from "./args/vim-args";
export type * from "./args/workload-cluster-args";
export type * from "./args/workload-credential-args";
export type * from "./args/workload-inputs";
export { ManagementCluster } from "./cluster-api/management-cluster";
export { MovedClusters } from "./cluster-api/moved-clusters";
export { WorkloadCluster } from "./cluster-api/workload-cluster";
export { Cnf } from "./cnf/cnf";
export { fromConfig } from "./kubernetes-cluster/from-config";
export { KubernetesCluster } from "./kubernetes-cluster/kubernetes-cluster";
export { PersistentVolumes } from "./storage/persistent-volumes";
export { StorageClasses } from "./storage/storage-classes";
export { StorageServer } from "./storage/storage-server";
export { Vim } from "./vim/vim";
