import type { HostSpec } from "../model";
import type { StepFactory } from "../steps/types";
import { containerdAnswers } from "./containerd-answers";
import { certsFolder, containerdConfig, hostsToml, registryFolder } from "./containerd-config";
import { sandboxImageOf } from "./sandbox-image";
import { sh } from "./script";

const restart = sh`
    mkdir -p /opt/cni/bin /etc/cni/net.d
    systemctl restart containerd.service
`;

/** containerd: systemd's cgroups, the sandbox image, plugin folder. */
export const configureContainerRuntime: StepFactory<HostSpec> = spec => ({
    id: "host.container-runtime-config",
    title: "configure the container runtime",
    files: [{ path: "/etc/containerd/config.toml", content: containerdConfig(sandboxImageOf(spec)) }],
    run: `${restart}${containerdAnswers("with this configuration")}`,
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
