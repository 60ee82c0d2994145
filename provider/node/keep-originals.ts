import type { HostSpec } from "../model";
import type { StepFactory } from "../steps/types";
import { registryFiles } from "./registry-files";
import { originalsFolder, sh } from "./script";

/** Files in which we change lines only: the reset takes these lines back, whatever else was changed since. Copies are for a person. */
const changedFiles = ["/etc/hosts", "/etc/fstab"];

/** Files that other steps replace as a whole, and the reset puts back. A file that is not there is noted as absent. */
export const replacedFiles = [
    "/etc/hostname",
    "/etc/containerd/config.toml",
    "/etc/haproxy/haproxy.cfg",
    "/etc/keepalived/keepalived.conf",
    "/etc/systemd/system/kubelet.service",
    "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf",
];

/** Folders and services that others may have had before us. */
const keptFolders = ["/etc/kubernetes/manifests", "/etc/cni/net.d"];
const keptServices = ["kubelet.service", "haproxy.service", "keepalived.service"];

/** Where the reset finds what `keepOriginals` noted beside the copies. */
export const originalsNotes = {
    folders: `${originalsFolder}/.folders`,
    services: `${originalsFolder}/.services`,
    plugins: `${originalsFolder}/.plugins`,
    cni: `${originalsFolder}/.cni`,
};

/** Shell functions: `there` PATH, also a link that leads nowhere; `restore` FILE puts back what was kept, or takes ours away. */
export const restoreOriginal = sh`
    there() { [ -e "$1" ] || [ -L "$1" ]; }
    restore() {
        if there "${originalsFolder}$1"; then
            # the folder of a package that was purged is gone, and so is the file's use
            [ -d "\${1%/*}" ] || return 0
            rm -rf "$1.nfv-new"
            cp -a "${originalsFolder}$1" "$1.nfv-new"
            mv -fT "$1.nfv-new" "$1"
        elif [ -e "${originalsFolder}$1.absent" ]; then
            rm -f "$1"
        fi
    }
`;

/**
 * Copies what was there before us, so that the reset can put it back: each file once, and on the disk before the first change. Done
 * again when a registry comes, for what stands at its place.
 */
export const keepOriginals: StepFactory<HostSpec> = spec => ({
    id: "host.originals",
    title: "keep the original files",
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
