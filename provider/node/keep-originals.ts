import type { HostSpec } from "../common/model";
import { ownSigns } from "../shell/own-signs";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { registryFiles } from "./runtime/registry-files";

/**
 * Files in which we only change lines: the reset removes these lines, whatever else was changed since. The copies are
 * for people.
 */
const changedFiles = ["/etc/hosts", "/etc/fstab"];

/**
 * Files that other steps replace as a whole and the reset restores. A file that does not exist is recorded as absent.
 */
export const replacedFiles = [
    "/etc/hostname",
    "/etc/containerd/config.toml",
    "/etc/haproxy/haproxy.cfg",
    "/etc/keepalived/keepalived.conf",
    "/etc/systemd/system/containerd.service",
    "/etc/systemd/system/kubelet.service",
    "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf",
];

/** Folders and services that may have existed before us. */
const keptFolders = ["/etc/kubernetes/manifests", "/etc/cni/net.d"];
const keptServices = ["kubelet.service", "haproxy.service", "keepalived.service"];

/**
 * Copies what existed before us, so that the reset can restore it: each file once, and synced to disk before the first
 * change. Runs again when a registry is added, for existing files of that registry.
 */
export const keepOriginals = step<HostSpec>({
    id: "host.originals",
    title: "keep the original files",
    notCompared: "the copies are from before us: they cannot be made again",
})(spec => ({
    revision: 1,
    env: {
        FILES: [...changedFiles, ...replacedFiles, ...spec.registries.flatMap(registryFiles)].join("\n"),
        FOLDERS: keptFolders.join("\n"),
        SERVICES: keptServices.join("\n"),
    },
    run: script("node/keep-originals.sh", ownSigns),
    observe: { script: script("node/observe-originals.sh") },
    timeoutSeconds: 60,
}));
