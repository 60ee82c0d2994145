import { checkVirtualAddress } from "../endpoint/check-virtual-address";
import { checkVirtualRouterId, configureHaproxy, configureKeepalived } from "../endpoint/configure-load-balancer";
import { guardVirtualAddress } from "../endpoint/guard-virtual-address";
import { installLoadBalancer } from "../endpoint/install-load-balancer";
import type { HostSpec } from "../model";
import { stageRuntime, switchRuntime } from "../node/bundle-runtime";
import { configureContainerRuntime, configureRegistries } from "../node/configure-container-runtime";
import { configureProxy } from "../node/configure-proxy";
import { guardMetadata } from "../node/guard-metadata";
import { guardStorage } from "../node/guard-storage";
import { installContainerRuntime } from "../node/install-container-runtime";
import { installKubeletService } from "../node/install-kubelet-service";
import { keepOriginals } from "../node/keep-originals";
import { installKubernetesPackages } from "../node/kubernetes-packages";
import { loadKernelModules } from "../node/load-kernel-modules";
import { setHostname } from "../node/set-hostname";
import { setSysctls } from "../node/set-sysctls";
import { stageBinaries, stageCniPlugins, stageImages, verifyImageVersions } from "../node/stage-kubernetes";
import { trustCertificates } from "../node/trust-certificates";
import { turnSwapOff } from "../node/turn-swap-off";
import { waitForCloudInit } from "../node/wait-for-cloud-init";
import { writeHostsFile } from "../node/write-hosts-file";
import type { StepFactory } from "../steps/types";
import { installNfsClient } from "../storage/install-client";

/** The steps that make a server a Kubernetes host, in order. None of them needs another machine. */
export const hostSteps: StepFactory<HostSpec>[] = [
    waitForCloudInit,
    checkVirtualAddress, // on every node, before any change
    keepOriginals,
    verifyImageVersions, // before any change
    setHostname,
    writeHostsFile,
    turnSwapOff,
    loadKernelModules,
    setSysctls,
    configureProxy, // before the first download
    trustCertificates,
    installContainerRuntime,
    stageRuntime, // with the runtime of a bundle
    switchRuntime,
    installNfsClient, // in a cluster with storage
    installKubernetesPackages,
    stageBinaries, // into folders per version, without effect
    stageCniPlugins,
    stageImages,
    configureContainerRuntime, // kubeadm may name the sandbox image, which is there then
    configureRegistries,
    installKubeletService,
    installLoadBalancer, // control-plane nodes only
    configureHaproxy,
    checkVirtualRouterId,
    guardVirtualAddress, // on every node
    guardStorage, // on every node of a cluster with a storage server
    guardMetadata, // the same
    configureKeepalived,
];
