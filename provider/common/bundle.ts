import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { NfvError } from "./errors";
import { whyUnreadable } from "./given-file";
import type { BundleFile } from "./model";

/** A bundle is a folder: this manifest, binaries, CNI plugins, container images as OCI archives, and manifests of add-ons. */
export const manifestName = "manifest.json";
export const bundleApiVersion = "pulumi-nfv/v1";

/**
 * Images that exist in no public registry. `.invalid` is reserved (RFC 6761), so nobody can register the name and no
 * name server resolves it. These images come from the node itself or from a registry that the user configured as a
 * mirror.
 */
export const ownImages = { podnet: "pulumi-nfv.invalid/podnet:1", tools: "pulumi-nfv.invalid/tools:1" };

/** "registry/podnet@sha256:…" for an image with a tag. A registry cannot serve other content under a digest. */
export function byDigest(image: string, digest: string): string {
    return `${image.slice(0, image.lastIndexOf(":"))}@${digest}`;
}

/** Whether containerd and runc are among a bundle's files. */
export const hasRuntime = (files: readonly Pick<BundleFile, "kind">[] = []) =>
    files.some(({ kind }) => kind === "runtime");

export interface BundleManifest {
    apiVersion: typeof bundleApiVersion;
    /** Without "v": "1.36.3". */
    kubernetes: string;
    arch: "amd64";
    files: BundleFile[];
}

/** Reads and validates the manifest of the bundle in `folder`. Does not read the other files. */
export async function readManifest(folder: string): Promise<BundleManifest> {
    let text: string;
    try {
        text = await readFile(join(folder, manifestName), "utf8");
    } catch (error) {
        throw invalid(folder, whyUnreadable(join(folder, manifestName), error));
    }
    return parseManifest(text, folder);
}

/** `folder` appears in error messages only. */
export function parseManifest(text: string, folder: string): BundleManifest {
    let manifest: BundleManifest;
    try {
        manifest = JSON.parse(text);
    } catch (error) {
        throw invalid(folder, `${manifestName} is not JSON: ${(error as Error).message}`);
    }
    if (manifest?.apiVersion !== bundleApiVersion) {
        throw invalid(folder, `${manifestName} says apiVersion ${manifest?.apiVersion}; known is ${bundleApiVersion}`);
    }
    if (manifest.arch !== "amd64") {
        throw invalid(folder, `${manifestName} says arch ${manifest.arch}; bundles are for amd64 (x86_64) alone`);
    }
    if (typeof manifest.kubernetes !== "string" || !Array.isArray(manifest.files) || manifest.files.length === 0) {
        throw invalid(folder, `${manifestName} has no version or no files`);
    }
    const bad = manifest.files.findIndex(file => !isWellFormed(file));
    if (bad >= 0) {
        throw invalid(folder, `${manifestName}: not a usable row: ${JSON.stringify(manifest.files[bad])}`);
    }
    return manifest;
}

/** Path and version decide where root writes on a node, so neither may point outside of its folder. */
function isWellFormed(file: BundleFile): boolean {
    return (
        typeof file?.path === "string" &&
        /^(bin|cni|images|runtime|manifests)\/[A-Za-z0-9][A-Za-z0-9._-]*$/.test(file.path) &&
        typeof file.sha256 === "string" &&
        /^[0-9a-f]{64}$/.test(file.sha256) &&
        Number.isSafeInteger(file.sizeBytes) &&
        file.sizeBytes >= 0 &&
        Array.isArray(file.roles) &&
        ["binary", "cni", "image", "runtime", "manifest"].includes(file.kind) &&
        (file.kind === "image") === (typeof file.image === "string") &&
        (file.image === undefined || /^\S+$/.test(file.image)) &&
        ["runtime", "manifest"].includes(file.kind) === (typeof file.version === "string") &&
        (file.version === undefined || /^[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9.+-]*$/.test(file.version)) &&
        (file.digest === undefined || /^sha256:[0-9a-f]{64}$/.test(file.digest))
    );
}

function invalid(folder: string, cause: string): NfvError {
    return new NfvError({ code: "BUNDLE_INVALID", cause: `${folder}: ${cause}` });
}
