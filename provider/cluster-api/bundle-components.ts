import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../common/bundle";
import { NfvError } from "../common/errors";
import { labelOf } from "./provider-names";
import type { ProviderName, ProviderSpec } from "./types";

/** Path of a provider's components in a bundle. */
export function componentsPath(provider: Pick<ProviderName, "type" | "name">): string {
    return `manifests/${labelOf(provider)}.yaml`;
}

/**
 * Version and components of a provider from the bundle in `folder`.
 * @throws BUNDLE_INVALID for a bundle that cannot be read; VERSION_MISMATCH for one without this provider, or with another version
 * than `provider.version`
 */
export async function bundleComponents(
    folder: string,
    provider: Pick<ProviderName, "type" | "name"> & { version?: string },
): Promise<Pick<ProviderSpec, "version" | "components">> {
    const path = componentsPath(provider);
    const manifest = await readManifest(folder);
    const file = manifest.files.find(each => each.kind === "manifest" && each.path === path);
    const version = file?.version;
    if (version === undefined || (provider.version !== undefined && provider.version !== version)) {
        const wanted = [labelOf(provider), provider.version].filter(Boolean).join(" ");
        throw new NfvError({
            code: "VERSION_MISMATCH",
            cause: `the bundle ${folder} does not have ${wanted}${version === undefined ? "" : `, but ${version}`}`,
            hint: `Make it with npx nfv bundle --kubernetes ${manifest.kubernetes} --add-ons cluster-api,cluster-api-openstack, or give the release's components file.`,
        });
    }
    const components = await readFile(join(folder, path), "utf8").catch((error: Error) => {
        throw new NfvError({ code: "BUNDLE_INVALID", cause: `${folder}: ${error.message}` });
    });
    return { version, components };
}
