import type { HostSpec } from "../model";
import { originalsFolder } from "../shell/folders";
import { originalsNotes, restoreOriginal } from "../shell/originals";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { registryFiles } from "./registry-files";

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
export const keepOriginals: StepFactory<HostSpec> = spec => ({
    id: "host.originals",
    title: "keep the original files",
    revision: 1,
    env: {
        FILES: [...changedFiles, ...replacedFiles, ...spec.registries.flatMap(registryFiles)].join("\n"),
        FOLDERS: keptFolders.join("\n"),
        SERVICES: keptServices.join("\n"),
    },
    run:
        restoreOriginal +
        sh`
        umask 077
        mkdir -p ${originalsFolder}
        if [ ! -e ${originalsNotes.plugins} ]; then
            for folder in $FOLDERS; do if [ -d "$folder" ]; then echo "$folder"; fi; done > ${originalsNotes.folders}
            for service in $SERVICES; do
                if systemctl -q is-enabled "$service" 2>/dev/null; then echo "$service"; fi
            done > ${originalsNotes.services}
            { ls -A /etc/cni/net.d 2>/dev/null || true; } > ${originalsNotes.cni}
            # last: its presence says that all of it was noted
            { ls /opt/cni/bin 2>/dev/null || true; } > ${originalsNotes.plugins}.new
            sync -- ${originalsNotes.folders} ${originalsNotes.cni} ${originalsNotes.services} ${originalsNotes.plugins}.new
            mv ${originalsNotes.plugins}.new ${originalsNotes.plugins}
        fi
        for file in $FILES; do
            copy=${originalsFolder}$file
            if there "$copy" || [ -e "$copy.absent" ]; then continue; fi
            mkdir -p "\${copy%/*}"
            if ! there "$file"; then
                : > "$copy.absent"
                continue
            fi
            rm -rf "$copy.new"
            cp -a "$file" "$copy.new"
            [ -L "$copy.new" ] || sync -- "$copy.new"
            mv -T "$copy.new" "$copy"
        done
        # names, too: a copy that a power failure takes away is none
        find ${originalsFolder} -type d -exec sync -- {} +
    `,
    timeoutSeconds: 60,
});
