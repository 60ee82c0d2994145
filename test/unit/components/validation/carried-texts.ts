import type { Hostile } from "./text-inputs";

/** Texts that may hold nearly anything, and what carries them so that they mean nothing else. Proofs: carried-texts.test.ts. */

const line: Hostile[] = [
    ...(["a path upwards", "a command", "an old command", "a second command", "a blank", "a quote"] as const),
    ...(["a double quote", "braces", "an option", "a look-alike", "a turned text"] as const),
];
const text: Hostile[] = [...line, "a line break", "a carriage return", "a very long text", "a line separator"];
const url: Hostile[] = ["a path upwards", "a command", "a second command", "a quote"];

interface Way {
    how: string;
    takes: Hostile[];
    inputs: string;
}

const table = {
    operator: {
        how: "nowhere: it stays on the operator's machine, as a path, a login, or a name to compare",
        takes: line,
        inputs:
            "SshArgs.passphrase SshArgs.password SshArgs.agent HeatTemplateArgs.file BundleSourceArgs.path " +
            "StorageArgs.force StorageServer.force PersistentVolumes.force StorageClasses.force HookArgs.module HookArgs.script " +
            "TackerHookArgs.package TackerHookArgs.script TackerHookArgs.python TackerHookArgs.newPackage OidcArgs.clientId " +
            "OidcArgs.clientSecret OidcArgs.username OidcArgs.password OidcArgs.scope Vim.clusterIdentifier ChartArgs.source " +
            "ChartArgs.version ChartArgs.valuesFiles ChartArgs.releaseName ManagementCluster.bundle ClusterApiProviderArgs.components " +
            "Cnf.replicas_keys Cnf.customKinds Cnf.readiness_keys ReadinessArgs.field WorkloadApplicationCredentialArgs.rotate " +
            "HeatArgs.cloud HeatArgs.region NovaArgs.cloud NovaArgs.region StorageCloudArgs.cloud StorageCloudArgs.region",
    },
    login: {
        how: "in a header or the body of a request by the operator's machine",
        takes: [...line.filter(each => !["a blank", "a look-alike", "a turned text"].includes(each)), ...url],
        inputs:
            "VimAuthArgs.bearerToken SendCredentialsArgs.token SendCredentialsArgs.url OidcArgs.issuerUrl OidcArgs.tokenUrl " +
            "WorkloadApplicationCredentialArgs.authUrl",
    },
    hook: {
        how: "as JSON on the standard input of a hook, on the operator's machine",
        takes: line,
        inputs:
            "HookArgs.parameters_keys TackerHookArgs.flavourId TackerHookArgs.vnfdId TackerHookArgs.vdus TackerHookArgs.aspects " +
            "TackerHookArgs.connectionPoints TackerStackArgs.name TackerStackArgs.id TackerHookArgs.vimConnectionInfo_keys " +
            "TackerHookArgs.instance_keys TackerHookArgs.request_keys",
    },
    cloud: {
        how: "as JSON to the cloud's API, or as YAML in Heat's template",
        takes: text,
        inputs:
            "HeatTemplateArgs.parameters HeatTemplateArgs.parameters_keys TackerNodeArgs.aspect TackerNodeArgs.vdu " +
            "TackerNodeArgs.sshConnectionPoint TackerNodeArgs.nicConnectionPoint TackerTemplateArgs.clusterConnectionPoint " +
            "TackerTemplateArgs.clusterFloatingIp TackerTemplateArgs.vdus_keys TackerVduArgs.flavor TackerVduArgs.image " +
            "TackerVduArgs.availabilityZone TackerTemplateArgs.connectionPoints_keys TackerConnectionPointArgs.network " +
            "TackerConnectionPointArgs.subnet TackerConnectionPointArgs.port TackerFixedIpArgs.subnet HeatArgs.image HeatArgs.flavor " +
            "HeatArgs.externalNetwork HeatArgs.keyPair HeatArgs.metadata HeatArgs.metadata_keys NovaArgs.image NovaArgs.flavor " +
            "NovaArgs.externalNetwork NovaArgs.keyPair NovaArgs.metadata NovaArgs.metadata_keys JumpServerArgs.flavor JumpServerArgs.image " +
            "ServerArgs.image ServerArgs.availabilityZones ServerArgs.securityGroups ServerArgs.metadata ServerArgs.metadata_keys " +
            "ServerArgs.userData BootVolumeArgs.type VolumeArgs.type ServerNetworkArgs.network ServerNetworkArgs.subnet " +
            "CloudNetworkArgs.network CloudNetworkArgs.router ControlPlaneArgs.flavor PoolArgs.flavor StorageMachineArgs.flavor " +
            "StorageMachineArgs.image StorageMachineArgs.availabilityZone StorageMachineArgs.securityGroups StorageVolumeArgs.type " +
            "StorageCloudArgs.image StorageCloudArgs.externalNetwork StorageCloudArgs.keyPair StorageCloudArgs.metadata " +
            "StorageCloudArgs.metadata_keys CloudProviderCredentialsArgs.roles WorkloadApplicationCredentialArgs.roles " +
            "WorkloadAccessRuleArgs.service WorkloadAccessRuleArgs.path",
    },
    objects: {
        how: "in an object of Kubernetes, as JSON",
        takes: text,
        inputs:
            "ControlPlaneArgs.annotations PoolArgs.annotations PersistentVolumeArgs.storageClassName StorageClassArgs.volumeType " +
            "StorageClassArgs.availabilityZone PolicyRuleArgs.apiGroups PolicyRuleArgs.resources PolicyRuleArgs.resourceNames " +
            "PolicyRuleArgs.nonResourceURLs PolicyRuleArgs.verbs NetworkArgs.cniManifests StorageArgs.persistentVolumeManifests " +
            "HookArgs.manifests Cnf.manifests PersistentVolumes.manifests ClusterApiProviderArgs.variables ClusterApiProviderArgs.flags " +
            "WorkloadIdentityArgs.caCertificate WorkloadNetworkArgs.cniManifests WorkloadCluster.addOns WorkloadCluster.manifests " +
            "WorkloadCluster.variables WorkloadKubeadmArgs.preCommands WorkloadKubeadmArgs.files WorkloadKubeadmArgs.postCommands WorkloadKubeadmArgs.kubeletArgs " +
            "WorkloadIdentityArgs.cloudName WorkloadIdentityArgs.region WorkloadOpenStackArgs.externalNetwork WorkloadOpenStackArgs.network " +
            "WorkloadOpenStackArgs.subnets WorkloadOpenStackArgs.sshKeyName WorkloadOpenStackArgs.availabilityZones " +
            "WorkloadOpenStackArgs.tags WorkloadControlPlaneArgs.flavor WorkloadControlPlaneArgs.image WorkloadRootVolumeArgs.type " +
            "WorkloadRootVolumeArgs.availabilityZone WorkloadControlPlaneArgs.securityGroups WorkloadControlPlaneArgs.serverGroup " +
            "WorkloadPoolArgs.availabilityZone WorkloadPoolArgs.flavor WorkloadPoolArgs.image WorkloadPoolArgs.securityGroups " +
            "WorkloadPoolArgs.serverGroup",
    },
    kubeadm: { how: "as YAML in kubeadm's configuration", takes: line, inputs: "ControlPlaneArgs.extraArgs" },
    content: {
        how: "as the whole content of a file",
        takes: text,
        inputs:
            "ControlPlaneArgs.patches BackupSftpArgs.privateKey BackupS3Args.caCertificate SendCredentialsArgs.caCertificate " +
            "BackupArgs.password EtcdBackupArgs.password BackupS3Args.accessKey BackupS3Args.secretKey",
    },
    mirror: {
        how: "as a string of TOML, or in base64, in containerd's hosts.toml",
        takes: line,
        inputs: "RegistryArgs.username RegistryArgs.password RegistryArgs.endpoints",
    },
    proxy: {
        how: "between single quotes in an environment file, and in apt's configuration",
        takes: [...url, "a blank", "an option"],
        inputs: "ProxyArgs.httpProxy ProxyArgs.httpsProxy ProxyArgs.noProxy",
    },
    source: { how: "as one word of a list of apt or dnf", takes: url, inputs: "PackageSourceArgs.repository" },
    cloudConf: {
        how: "quoted in cloud.conf",
        takes: line,
        inputs:
            "CloudProviderArgs.authUrl CloudProviderArgs.region CloudLoadBalancerArgs.availabilityZone " +
            "CloudProviderCredentialsArgs.applicationCredentialSecret",
    },
    settings: {
        how: "as the rest of a line of sysctl.d",
        takes: line,
        inputs: "PoolArgs.sysctls KubernetesCluster.sysctls",
    },
    timer: {
        how: "as one line of a timer of systemd",
        takes: ["a path upwards", "a blank"],
        inputs: "BackupArgs.schedule EtcdBackupArgs.schedule",
    },
} satisfies Record<string, Way>;

export type WayName = keyof typeof table;
export const ways: Record<WayName, Way> = table;

/** Input → the way that it takes. `_keys` stands for names in a map. */
export const carried: Record<string, WayName> = Object.fromEntries(
    (Object.entries(ways) as [WayName, Way][]).flatMap(([name, { inputs }]) =>
        inputs.split(" ").map(input => [input.replace("_keys", " keys"), name]),
    ),
);
