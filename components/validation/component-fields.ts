import { misspelt } from "../../provider/common/did-you-mean";
import type { PlainArgs } from "../common/plain-args";
import { type Problem, prefixed, type Rule } from "./rule";

/** Fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1). */
const kubelet = `
    address allowedUnsafeSysctls authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS clusterDNS clusterDomain
    configMapAndSecretChangeDetectionStrategy containerLogMaxFiles containerLogMaxSize containerLogMaxWorkers containerLogMonitorInterval
    containerRuntimeEndpoint contentType cpuCFSQuota cpuCFSQuotaPeriod cpuManagerPolicy cpuManagerPolicyOptions cpuManagerReconcilePeriod
    crashLoopBackOff enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers
    enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable eventBurst eventRecordQPS evictionHard
    evictionMaxPodGracePeriod evictionMinimumReclaim evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod failCgroupV1
    failSwapOn featureGates fileCheckFrequency hairpinMode healthzBindAddress healthzPort httpCheckFrequency imageGCHighThresholdPercent
    imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge imagePullCredentialsVerificationPolicy imageServiceEndpoint iptablesDropBit
    iptablesMasqueradeBit kernelMemcgNotification kubeAPIBurst kubeAPIQPS kubeReserved kubeReservedCgroup kubeletCgroups
    localStorageCapacityIsolation logging makeIPTablesUtilChains maxOpenFiles maxParallelImagePulls maxPods memoryManagerPolicy memorySwap
    memoryThrottlingFactor mergeDefaultEvictionSettings nodeLeaseDurationSeconds nodeStatusMaxImages nodeStatusReportFrequency
    nodeStatusUpdateFrequency oomScoreAdj podCIDR podLogsDir podPidsLimit podsPerCore port preloadedImagesVerificationAllowlist
    protectKernelDefaults providerID qosReserved readOnlyPort registerNode registerWithTaints registryBurst registryPullQPS reservedMemory
    reservedSystemCPUs resolvConf rotateCertificates runOnce runtimeRequestTimeout seccompDefault serializeImagePulls serverTLSBootstrap
    showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority shutdownGracePeriodCriticalPods singleProcessOOMKill
    staticPodPath staticPodURL staticPodURLHeader streamingConnectionIdleTimeout syncFrequency systemCgroups systemReserved systemReservedCgroup
    tlsCertFile tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy topologyManagerPolicyOptions
    topologyManagerScope tracing userNamespaces volumePluginDir volumeStatsAggPeriod
`.match(/\w+/g)!;

/** Fields of KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1). */
const kubeProxy = `
    bindAddress bindAddressHardFail clientConnection clusterCIDR configSyncPeriod conntrack detectLocal detectLocalMode enableProfiling
    featureGates healthzBindAddress hostnameOverride iptables ipvs logging metricsBindAddress mode nftables nodePortAddresses oomScoreAdj
    portRange showHiddenMetricsForVersion windowsRunAsService winkernel
`.match(/\w+/g)!;

/** A misspelt field would stop kubelet in the middle of the run. Another one that is not in the list may belong to a newer version. */
export const componentFields: Rule<PlainArgs> = args => [
    ...misspeltIn("kubelet", args.kubelet, kubelet),
    ...misspeltIn("kubeProxy", args.kubeProxy, kubeProxy),
    ...misspeltIn("controlPlane.kubelet", args.controlPlane?.kubelet, kubelet),
    ...Object.entries(prefixed("pools", args.pools)).flatMap(([pool, given]) =>
        misspeltIn(`${pool}.kubelet`, given.kubelet, kubelet),
    ),
];

function misspeltIn(place: string, given: object | undefined, known: readonly string[]): Problem[] {
    return Object.keys(given ?? {}).flatMap((name): Problem[] => {
        const meant = misspelt(name, known);
        return meant === undefined ? [] : [[`${place}.${name}`, `there is no such field; did you mean "${meant}"?`]];
    });
}
