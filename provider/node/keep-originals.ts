import type { HostSpec } from "../model";
import type { StepFactory } from "../steps/types";
import { originalsFolder, sh } from "./script";

/** Files that other steps overwrite or change. A file that is not there is noted as absent. */
export const keptFiles = [
    "/etc/hosts",
    "/etc/hostname",
    "/etc/fstab",
    "/etc/containerd/config.toml",
    "/etc/haproxy/haproxy.cfg",
    "/etc/keepalived/keepalived.conf",
];

/** Folders and services that others may have had before us. */
const keptFolders = ["/etc/kubernetes/manifests", "/etc/cni/net.d"];
const keptServices = ["kubelet.service", "haproxy.service", "keepalived.service"];

/** Where the reset finds what `keepOriginals` noted beside the copies. */
export const originalsNotes = {
    folders: `${originalsFolder}/.folders`,
    services: `${originalsFolder}/.services`,
    plugins: `${originalsFolder}/.plugins`,
};

/** Copies what was there before us, once, so that the reset can put it back. */
export const keepOriginals: StepFactory<HostSpec> = () => ({
    id: "host.originals",
    title: "keep the original files",
    env: { FILES: keptFiles.join("\n"), FOLDERS: keptFolders.join("\n"), SERVICES: keptServices.join("\n") },
    run: sh`
        umask 077
        mkdir -p ${originalsFolder}
        if [ ! -e ${originalsNotes.plugins} ]; then
            for folder in $FOLDERS; do if [ -d "$folder" ]; then echo "$folder"; fi; done > ${originalsNotes.folders}
            for service in $SERVICES; do
                if systemctl -q is-enabled "$service" 2>/dev/null; then echo "$service"; fi
            done > ${originalsNotes.services}
            # last: its presence says that all of it was noted
            { ls /opt/cni/bin 2>/dev/null || true; } > ${originalsNotes.plugins}.new
            mv ${originalsNotes.plugins}.new ${originalsNotes.plugins}
        fi
        for file in $FILES; do
            copy=${originalsFolder}$file
            if [ -e "$copy" ] || [ -e "$copy.absent" ]; then continue; fi
            mkdir -p "\${copy%/*}"
            if [ -e "$file" ]; then cp -p "$file" "$copy.new" && mv "$copy.new" "$copy"; else : > "$copy.absent"; fi
        done
    `,
    timeoutSeconds: 20,
});
