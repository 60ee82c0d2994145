import { checkVirtualAddress } from "../endpoint/check-virtual-address";
import { checkVirtualRouterId, configureHaproxy, configureKeepalived } from "../endpoint/configure-load-balancer";
import { guardVirtualAddress } from "../endpoint/guard-virtual-address";
import { installLoadBalancer } from "../endpoint/install-load-balancer";
import type { HostSpec } from "../model";
import type { StepFactory } from "../steps/types";
import { configureContainerRuntime, configureRegistries } from "./configure-container-runtime";
import { configureProxy } from "./configure-proxy";
import { installContainerRuntime } from "./install-container-runtime";
import { installKubeletService } from "./install-kubelet-service";
import { keepOriginals } from "./keep-originals";
import { installKubernetesPackages } from "./kubernetes-packages";
import { loadKernelModules } from "./load-kernel-modules";
import { setHostname } from "./set-hostname";
import { setSysctls } from "./set-sysctls";
import { stageBinaries, stageCniPlugins, stageImages, verifyImageVersions } from "./stage-kubernetes";
import { trustCertificates } from "./trust-certificates";
import { turnSwapOff } from "./turn-swap-off";
import { waitForCloudInit } from "./wait-for-cloud-init";
import { writeHostsFile } from "./write-hosts-file";

/** What makes a server a Kubernetes host, in order. Nothing here needs another machine. */
export const hostSteps: StepFactory<HostSpec>[] = [
    waitForCloudInit,
    checkVirtualAddress, // every node, before anything is changed
    keepOriginals,
    verifyImageVersions, // before anything is changed
    setHostname,
    writeHostsFile,
    turnSwapOff,
    loadKernelModules,
    setSysctls,
    configureProxy, // before the first download
    trustCertificates,
    installContainerRuntime,
    configureContainerRuntime,
    configureRegistries,
    installKubernetesPackages,
    stageBinaries, // into folders of their version, without effect
    stageCniPlugins,
    stageImages,
    installKubeletService,
    installLoadBalancer, // masters only
    configureHaproxy,
    checkVirtualRouterId,
    guardVirtualAddress, // every node
    configureKeepalived,
];
