import { labelOf } from "./provider-names";
import type { ProviderName } from "./types";

/** Path of a provider's components in a bundle. */
export function componentsPath(provider: Pick<ProviderName, "type" | "name">): string {
    return `manifests/${labelOf(provider)}.yaml`;
}
