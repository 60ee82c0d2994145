import type { RegistryMirror } from "../../common/model";
import { registryFolder } from "./containerd-config";

/** Paths of the files that we write into a registry's folder. Other files there are not ours. */
export function registryFiles(mirror: RegistryMirror): string[] {
    const folder = registryFolder(mirror.registry);
    return [`${folder}/hosts.toml`, `${folder}/ca.crt`];
}
