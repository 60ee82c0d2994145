import * as path from "node:path";
import { hasRuntime, manifestName, parseManifest } from "../../provider/common/bundle";
import { NfvError } from "../../provider/common/errors";
import { readGivenFile } from "../../provider/common/given-file";
import type { BundleFile } from "../../provider/common/model";
import type { KubernetesClusterArgs } from "../args/args";
import { manifestTexts } from "../cnf/manifest-texts";
import { readPersistentVolumes } from "../storage/persistent-volume-manifests";
import type { Files } from "./cluster-plan";

/** Reads all files on the operator's machine that a cluster's arguments name. */
export function readFiles(args: KubernetesClusterArgs): Files {
    // Read again when they run: here it shows what the cluster would refuse after all else is done.
    for (const [i, { manifests, action }] of (args.hooks ?? []).entries())
        if (action !== "delete") readManifests(`hooks.${i}.manifests`, manifests);
    return {
        bundleFiles: readBundle(args),
        cniManifests: readManifests("network.cniManifests", args.network?.cniManifests),
        persistentVolumes: readPersistentVolumes(
            "storage.persistentVolumeManifests",
            args.storage?.persistentVolumeManifests ?? [],
        ),
    };
}

function readManifests(input: string, given: readonly string[] = []): string[] {
    try {
        return manifestTexts(input, given);
    } catch (error) {
        throw new NfvError({ code: "INVALID_INPUT", cause: (error as Error).message });
    }
}

/** The files of the bundle from which the nodes get Kubernetes; none with other sources. */
function readBundle(args: KubernetesClusterArgs): BundleFile[] {
    const { kubernetes } = args;
    const bundle = kubernetes.source?.bundle;
    if (!bundle) return [];
    const manifest = parseManifest(manifestText(bundle.path), bundle.path);
    if (manifest.kubernetes !== kubernetes.version) {
        throw new NfvError({
            code: "VERSION_MISMATCH",
            cause: `the bundle ${bundle.path} has Kubernetes ${manifest.kubernetes}, kubernetes.version is ${kubernetes.version}`,
            hint: `Set kubernetes.version, or make the bundle: npx nfv bundle --kubernetes ${kubernetes.version}`,
        });
    }
    refuseWithoutRuntime(args, manifest.files);
    return manifest.files;
}

/** @throws VERSION_MISMATCH if the nodes are to have a container runtime that the bundle does not have */
function refuseWithoutRuntime({ kubernetes }: KubernetesClusterArgs, files: readonly BundleFile[]): void {
    if (kubernetes.containerRuntime?.from !== "bundle" || hasRuntime(files)) return;
    throw new NfvError({
        code: "VERSION_MISMATCH",
        cause: `kubernetes.containerRuntime.from: the bundle ${kubernetes.source?.bundle?.path} has no container runtime`,
        hint: `Make it again: npx nfv bundle --kubernetes ${kubernetes.version} --add-ons container-runtime (and the other add-ons that it has).`,
    });
}

function manifestText(folder: string): string {
    try {
        return readGivenFile(path.join(folder, manifestName));
    } catch (error) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `kubernetes.source.bundle.path: ${(error as Error).message}`,
            hint: `Make a bundle with npx nfv bundle, and give the path of its folder.`,
        });
    }
}
