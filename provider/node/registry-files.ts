import type { RegistryMirror } from "../model";
import { registryFolder } from "./containerd-config";

/** Paths of what stands in a registry's folder by our doing; whatever else is in it is not ours. */
export function registryFiles(mirror: RegistryMirror): string[] {
    const folder = registryFolder(mirror.registry);
    return [`${folder}/hosts.toml`, `${folder}/ca.crt`];
}
