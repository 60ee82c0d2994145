import type { HostSpec } from "../model";
import type { StepFactory } from "../steps/types";
import { certsFolder, containerdConfig, hostsToml, registryFolder } from "./containerd-config";
import { sandboxImageOf } from "./sandbox-image";
import { sh } from "./script";

/** containerd: systemd's cgroups, the sandbox image, plugin folder. */
export const configureContainerRuntime: StepFactory<HostSpec> = spec => ({
    id: "host.container-runtime-config",
    title: "configure the container runtime",
    files: [{ path: "/etc/containerd/config.toml", content: containerdConfig(sandboxImageOf(spec)) }],
    run: sh`
        mkdir -p /opt/cni/bin /etc/cni/net.d
        systemctl restart containerd.service
        for i in $(seq 100); do
            if ctr version >/dev/null 2>&1; then exit 0; fi
            sleep 0.2
        done
        echo "containerd does not answer with this configuration" >&2
        journalctl -u containerd.service -n 20 --no-pager >&2 || true
        exit 1
    `,
    timeoutSeconds: 120,
});

/** Mirrors of registries with their CA and login. containerd reads these files at each pull: no restart. */
export const configureRegistries: StepFactory<HostSpec> = spec => ({
    id: "host.registries",
    title: "configure registry mirrors",
    files: spec.registries.flatMap(mirror => {
        const folder = registryFolder(mirror.registry);
        return [
            ...(mirror.ca ? [{ path: `${folder}/ca.crt`, content: mirror.ca }] : []),
            // the login is in it: root only
            {
                path: `${folder}/hosts.toml`,
                content: hostsToml(mirror),
                mode: 0o600,
                secret: mirror.username !== undefined,
            },
        ];
    }),
    env: { FOLDERS: spec.registries.map(mirror => registryFolder(mirror.registry)).join("\n") },
    run: sh`
        for mark in ${certsFolder}/*/.pulumi-nfv; do
            [ -e "$mark" ] || continue
            folder=\${mark%/*}
            printf '%s\\n' "$FOLDERS" | grep -qxF "$folder" || rm -rf "$folder"
        done
        for folder in $FOLDERS; do : > "$folder/.pulumi-nfv"; done
    `,
    timeoutSeconds: 20,
});
