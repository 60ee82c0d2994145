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

/** Copies what was there before us, once, so that the reset can put it back. */
export const keepOriginals: StepFactory<HostSpec> = () => ({
    id: "host.originals",
    title: "keep the original files",
    env: { FILES: keptFiles.join("\n") },
    run: sh`
        umask 077
        for file in $FILES; do
            copy=${originalsFolder}$file
            if [ -e "$copy" ] || [ -e "$copy.absent" ]; then continue; fi
            mkdir -p "\${copy%/*}"
            if [ -e "$file" ]; then cp -p "$file" "$copy.new" && mv "$copy.new" "$copy"; else : > "$copy.absent"; fi
        done
    `,
    timeoutSeconds: 20,
});
