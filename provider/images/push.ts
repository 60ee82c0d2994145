import { join } from "node:path";
import type { BundleFile } from "../common/model";
import type { ProgressListener } from "../steps/types";
import { openArchive } from "./archive";
import { Registry, type RegistryPlace } from "./registry";

/** Where a mirror of its registry has "registry.k8s.io/coredns/coredns:v1.12.1". */
export function mirrored(image: string): { registry: string; repository: string; tag: string } {
    const slash = image.indexOf("/");
    const first = image.slice(0, slash);
    const [registry, path] = slash > 0 && /[.:]/.test(first) ? [first, image.slice(slash + 1)] : ["docker.io", image];
    const colon = path.lastIndexOf(":");
    return colon > path.lastIndexOf("/")
        ? { registry, repository: path.slice(0, colon), tag: path.slice(colon + 1) }
        : { registry, repository: path, tag: "latest" };
}

/** Pushes the images of a bundle one after another. Skips what the registry has already. */
export async function pushImages(
    place: RegistryPlace,
    folder: string,
    files: readonly BundleFile[],
    report: ProgressListener,
): Promise<void> {
    const registry = new Registry(place);
    const images = files.filter(file => file.image !== undefined);
    for (const [i, { path, image, sizeBytes }] of images.entries()) {
        const { repository, tag } = mirrored(image!);
        report(`${i + 1}/${images.length} push ${repository}:${tag} (${Math.ceil(sizeBytes / 1e6)} MB)`);
        const { mediaType, manifest, blobs } = await openArchive(join(folder, path));
        for (const { digest, size, stream } of blobs) {
            await registry.pushBlob(repository, digest, size, stream);
        }
        // The tag comes last: a client that finds it finds the whole image.
        await registry.pushManifest(repository, tag, mediaType, manifest);
    }
}
