import type { HostSpec } from "../common/model";
import { checkVirtualAddress } from "../endpoint/check-virtual-address";
import { checkVirtualRouterId, configureHaproxy, configureKeepalived } from "../endpoint/configure-load-balancer";
import { guardVirtualAddress } from "../endpoint/guard-virtual-address";
import { installLoadBalancer } from "../endpoint/install-load-balancer";
import { configureProxy } from "../node/configure-proxy";
import { guardMetadata } from "../node/guard-metadata";
import { guardStorage } from "../node/guard-storage";
import { keepOriginals } from "../node/keep-originals";
import { installKubeletService } from "../node/kubernetes/install-kubelet-service";
import { installKubernetesPackages } from "../node/kubernetes/kubernetes-packages";
import { stageBinaries, stageCniPlugins, stageImages, verifyImageVersions } from "../node/kubernetes/stage-kubernetes";
import { loadKernelModules } from "../node/load-kernel-modules";
import { stageRuntime, switchRuntime } from "../node/runtime/bundle-runtime";
import { configureContainerRuntime, configureRegistries } from "../node/runtime/configure-container-runtime";
import { installContainerRuntime } from "../node/runtime/install-container-runtime";
import { setHostname } from "../node/set-hostname";
import { setSysctls } from "../node/set-sysctls";
import { trustCertificates } from "../node/trust-certificates";
import { turnSwapOff } from "../node/turn-swap-off";
import { waitForCloudInit } from "../node/wait-for-cloud-init";
import { writeHostsFile } from "../node/write-hosts-file";
import type { KnownStep } from "../steps/types";
import { installNfsClient } from "../storage/install-client";

/** The steps that make a server a Kubernetes host, in order. None of them needs another machine. */
export const hostSteps: KnownStep<HostSpec>[] = [
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
