import type { HostSpec } from "../model";
import { script } from "../shell/script-file";
import type { StepFactory } from "../steps/types";
import { certsFolder, containerdConfig, hostsToml, registryFolder } from "./containerd-config";
import { sandboxImageOf } from "./sandbox-image";

/** Configures containerd: systemd's cgroups, the sandbox image, the plugin folder. */
export const configureContainerRuntime: StepFactory<HostSpec> = spec => ({
    id: "host.container-runtime-config",
    title: "configure the container runtime",
    revision: 1,
    disruptive: "containerd restarts: pods go on, kubelet waits; sessions of `kubectl exec` on this node end",
    files: [{ path: "/etc/containerd/config.toml", content: containerdConfig(sandboxImageOf(spec)) }],
    run: script("node/configure-container-runtime.sh"),
    observe: { script: script("node/observe-container-runtime.sh") },
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
    run: script("node/configure-registries.sh", { CERTS_FOLDER: certsFolder }),
    observe: { script: script("node/observe-registries.sh", { CERTS_FOLDER: certsFolder }) },
    timeoutSeconds: 20,
});
