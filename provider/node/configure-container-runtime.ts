import type { HostSpec } from "../model";
import { originalsFolder } from "../shell/folders";
import { restoreOriginal } from "../shell/originals";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { containerdAnswers } from "./containerd-answers";
import { certsFolder, containerdConfig, hostsToml, registryFolder } from "./containerd-config";
import { sandboxImageOf } from "./sandbox-image";

const restart = sh`
    mkdir -p /opt/cni/bin /etc/cni/net.d
    systemctl restart containerd.service
`;

/** Configures containerd: systemd's cgroups, the sandbox image, the plugin folder. */
export const configureContainerRuntime: StepFactory<HostSpec> = spec => ({
    id: "host.container-runtime-config",
    title: "configure the container runtime",
    revision: 1,
    disruptive: "containerd restarts: pods go on, kubelet waits; sessions of `kubectl exec` on this node end",
    files: [{ path: "/etc/containerd/config.toml", content: containerdConfig(sandboxImageOf(spec)) }],
    run: `${restart}${containerdAnswers("with this configuration")}`,
    timeoutSeconds: 120,
});

/** Mirrors of registries with their CA and login. containerd reads these files at each pull, so it needs no restart. */
export const configureRegistries: StepFactory<HostSpec> = spec => ({
    id: "host.registries",
    title: "configure registry mirrors",
    revision: 1,
    files: spec.registries.flatMap(mirror => {
        const folder = registryFolder(mirror.registry);
        return [
            ...(mirror.ca ? [{ path: `${folder}/ca.crt`, content: mirror.ca }] : []),
            // contains the login, so only root may read it
            {
                path: `${folder}/hosts.toml`,
                content: hostsToml(mirror),
                mode: 0o600,
                secret: mirror.username !== undefined,
            },
        ];
    }),
    env: {
        FOLDERS: spec.registries.map(mirror => registryFolder(mirror.registry)).join("\n"),
        WITH_CA: spec.registries.flatMap(({ registry, ca }) => (ca ? [registryFolder(registry)] : [])).join("\n"),
    },
    run:
        restoreOriginal +
        sh`
        has() { printf '%s\\n' "$1" | grep -qxF "$2"; }
        for folder in ${originalsFolder}${certsFolder}/*; do
            [ -d "$folder" ] || continue
            folder=\${folder#${originalsFolder}}
            if has "$FOLDERS" "$folder"; then
                # before us one may have had a CA there, or we may have had one before
                has "$WITH_CA" "$folder" || restore "$folder/ca.crt"
                continue
            fi
            restore "$folder/hosts.toml"
            restore "$folder/ca.crt"
            rm -rf "${originalsFolder}$folder"
            rmdir "$folder" 2>/dev/null || true
        done
    `,
    timeoutSeconds: 20,
});
