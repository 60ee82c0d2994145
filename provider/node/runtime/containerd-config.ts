import type { RegistryMirror } from "../../common/model";

/** containerd reads the configuration of registries here, from one folder per registry. */
export const certsFolder = "/etc/containerd/certs.d";

/** What the machine fills in: the version in which its containerd writes its own settings, and the sandbox image. */
export const configPlaceholders = { VERSION: "@VERSION@", IMAGE: "@SANDBOX_IMAGE@" };

/** Settings of CRI's runtime. */
const runtime = {
    // No pod gets a better score than containerd itself has: no effect with the -999 of its unit, vital where that is refused.
    restrict_oom_score_adj: true,
    tolerate_missing_hugetlb_controller: true,
    containerd: {
        default_runtime_name: "runc",
        runtimes: { runc: { runtime_type: "io.containerd.runc.v2", options: { SystemdCgroup: true } } },
    },
};
const registry = { config_path: certsFolder };
/** containerd 2 looks there by itself. Versions of it differ in the name of `bin_dir`. */
const cni = { bin_dir: "/opt/cni/bin", conf_dir: "/etc/cni/net.d" };

/** The plugins of CRI with their settings. */
const plugins = {
    1: { "io.containerd.grpc.v1.cri": { sandbox_image: configPlaceholders.IMAGE, ...runtime, cni, registry } },
    2: {
        "io.containerd.cri.v1.images": { pinned_images: { sandbox: configPlaceholders.IMAGE }, registry },
        "io.containerd.cri.v1.runtime": runtime,
    },
};

/**
 * Template of containerd's configuration for its releases 1.x or 2.x. For a file in conf.d, 1.x replaces whole plugin sections, so
 * the file must repeat what it wants to keep of this one.
 */
export function containerdConfig(release: 1 | 2): string {
    const head = `version = ${configPlaceholders.VERSION}\nimports = ["/etc/containerd/conf.d/*.toml"]\n`;
    return head + tables(["plugins"], plugins[release]);
}

type Table = { [key: string]: string | boolean | Table };

/** TOML of a table and those in it. */
function tables(path: string[], table: Table): string {
    const entries = Object.entries(table);
    const own = entries.flatMap(([key, value]) => (typeof value === "object" ? [] : [`${key} = ${toml(value)}\n`]));
    const head = own.length > 0 ? `\n[${path.map(key => (/^\w+$/.test(key) ? key : toml(key))).join(".")}]\n` : "";
    const inner = entries.map(([key, value]) => (typeof value === "object" ? tables([...path, key], value) : ""));
    return head + own.join("") + inner.join("");
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
function toml(value: string | boolean): string {
    return JSON.stringify(value);
}
