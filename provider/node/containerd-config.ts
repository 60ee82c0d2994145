import type { RegistryMirror } from "../model";

/** containerd reads the configuration of registries here, from one folder per registry. */
export const certsFolder = "/etc/containerd/certs.d";

/**
 * containerd's configuration in version 2, which 1.6, 1.7 and 2.x all read. A file in conf.d replaces whole plugin
 * sections, so it must repeat what it wants to keep of this one.
 */
export function containerdConfig(sandboxImage: string): string {
    const cri = "io.containerd.grpc.v1.cri";
    return `version = 2
imports = ["/etc/containerd/conf.d/*.toml"]

[plugins."${cri}"]
  sandbox_image = ${toml(sandboxImage)}
  # no pod gets a better score than containerd itself has: no effect with the -999 of its unit, vital where that is refused
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  [plugins."${cri}".containerd]
    default_runtime_name = "runc"
    [plugins."${cri}".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."${cri}".containerd.runtimes.runc.options]
        SystemdCgroup = true
  [plugins."${cri}".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."${cri}".registry]
    config_path = "${certsFolder}"
`;
}

/** Folder of a registry: containerd uses "_default" for all registries without a folder of their own. */
export function registryFolder(registry: string): string {
    return `${certsFolder}/${registry === "*" ? "_default" : registry.replace(/:(\d+)$/, "_$1_")}`;
}

/** hosts.toml of one registry: its mirrors in order. After them, containerd tries the registry itself. */
export function hostsToml(mirror: RegistryMirror): string {
    const login =
        mirror.username === undefined
            ? undefined
            : Buffer.from(`${mirror.username}:${mirror.password ?? ""}`).toString("base64");
    const hosts = mirror.endpoints.map(endpoint => {
        const lines = [`[host.${toml(endpoint)}]`, `  capabilities = ["pull", "resolve"]`];
        // For a registry with a path, "https://harbor.site/v2/kubernetes": otherwise containerd would append another
        // /v2.
        if (/^https?:\/\/[^/]+\/v2(\/|$)/.test(endpoint)) lines.push("  override_path = true");
        if (mirror.ca) lines.push(`  ca = ${toml(`${registryFolder(mirror.registry)}/ca.crt`)}`);
        if (login) lines.push(`  [host.${toml(endpoint)}.header]`, `    Authorization = ["Basic ${login}"]`);
        return lines.join("\n") + "\n";
    });
    return hosts.join("\n");
}

/** JSON strings are valid TOML basic strings. */
function toml(value: string): string {
    return JSON.stringify(value);
}
