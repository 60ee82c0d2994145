import type { HostSpec } from "../../common/model";
import { programFolder, stateFolder } from "../../shell/folders";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { runtimeRestarts, runtimeVersion } from "./bundle-runtime";
import { certsFolder, configPlaceholders, containerdConfig, hostsToml, registryFolder } from "./containerd-config";
import { sandboxImageOf } from "./sandbox-image";

/** containerd reads its configuration there. */
export const containerdConfigFile = "/etc/containerd/config.toml";

/** A copy of it as we wrote it. The reset looks for it under this name. */
const copy = { CONFIG_COPY: `${stateFolder}/config.toml` };

/** Configures containerd: systemd's cgroups, the sandbox image, the plugin folder. kubeadm and containerd on the machine say what only they know. */
export const configureContainerRuntime = step<HostSpec>({
    id: "host.container-runtime-config",
    title: "configure the container runtime",
    disruptive: runtimeRestarts,
})(spec => {
    const image = sandboxImageOf(spec);
    return {
        revision: 1,
        // With an image, another version of Kubernetes changes nothing.
        // The bundle's containerd may speak another version of the configuration than the one before it.
        env: {
            SANDBOX_IMAGE: image || (spec.imageRepository ? `${spec.imageRepository}/` : ""),
            VERSION: image ? "" : spec.kubernetesVersion,
            RUNTIME: runtimeVersion(spec) ?? "",
        },
        run: script("node/runtime/configure-container-runtime.sh", {
            ...copy,
            CONFIG_1: containerdConfig(1),
            CONFIG_2: containerdConfig(2),
            IMAGE_PLACEHOLDER: configPlaceholders.IMAGE,
            PROGRAM_FOLDER: programFolder,
            VERSION_PLACEHOLDER: configPlaceholders.VERSION,
        }),
        observe: { script: script("node/runtime/observe-runtime-config.sh", copy) },
        timeoutSeconds: 120,
    };
});

/** Mirrors of registries with their CA and login. containerd reads these files at each pull, so it needs no restart. */
export const configureRegistries = step<HostSpec>({ id: "host.registries", title: "configure registry mirrors" })(
    spec => ({
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
        run: script("node/runtime/configure-registries.sh", { CERTS_FOLDER: certsFolder }),
        observe: { script: script("node/runtime/observe-registries.sh", { CERTS_FOLDER: certsFolder }) },
        timeoutSeconds: 20,
    }),
);
