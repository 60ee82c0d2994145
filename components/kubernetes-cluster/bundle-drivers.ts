import { defaultRepository } from "../../provider/add-on-objects";
import { cloudImage, cloudVersionFor, sidecarImage } from "../../provider/cloud-provider/images";
import { NfvError } from "../../provider/errors";
import type { BundleFile } from "../../provider/model";
import { nfsCsiImage, nfsCsiImages } from "../../provider/nfs-csi/images";
import { snapshotImage } from "../../provider/snapshots/images";
import type { KubernetesClusterArgs } from "../args";
import { hasClasses } from "../storage/snapshot-class-objects";

/** A CSI driver of a cluster whose images may come from its bundle. */
interface BundledDriver {
    /** For messages. */
    title: string;
    addOn: string;
    /** The input that names another source of the images. */
    repositoryInput: string;
    /** Image of the driver itself. No other add-on has it. */
    plugin: string;
    /** All images that its pods need. */
    images: string[];
}

/**
 * A former release made bundles whose driver has fewer sidecars. Nodes without Internet could not start the new pods, and the driver's former pods
 * would be gone by then. A bundle without the driver is no mistake: nodes pull its images then.
 * @throws VERSION_MISMATCH
 */
export function refuseOlderDrivers(args: KubernetesClusterArgs, files: readonly BundleFile[]): void {
    const has = new Set(files.flatMap(({ image }) => (image === undefined ? [] : [image])));
    const named = new Set([...has].map(withoutTag));
    for (const { title, addOn, repositoryInput, plugin, images } of driversOf(args)) {
        const missing = images.filter(image => !has.has(image));
        if (!named.has(withoutTag(plugin)) || missing.length === 0) continue;
        throw new NfvError({
            code: "VERSION_MISMATCH",
            cause: `the bundle ${args.kubernetes.source?.bundle?.path} was made by another release: for ${title} it has no ${missing.join(", ")}`,
            hint: `Make it again: npx nfv bundle --kubernetes ${args.kubernetes.version} --add-ons ${addOn} (and the other add-ons that it has). Or name the registry that has the driver's images: ${repositoryInput}.`,
        });
    }
}

/** @throws VERSION_MISMATCH if the nodes are to have a container runtime that the bundle does not have */
export function refuseWithoutRuntime({ kubernetes }: KubernetesClusterArgs, files: readonly BundleFile[]): void {
    if (kubernetes.containerRuntime?.from !== "bundle" || files.some(({ kind }) => kind === "runtime")) return;
    throw new NfvError({
        code: "VERSION_MISMATCH",
        cause: `kubernetes.containerRuntime.from: the bundle ${kubernetes.source?.bundle?.path} has no container runtime`,
        hint: `Make it again: npx nfv bundle --kubernetes ${kubernetes.version} --add-ons container-runtime (and the other add-ons that it has).`,
    });
}

function withoutTag(image: string): string {
    return image.slice(0, image.lastIndexOf(":"));
}

/** Those that the cluster gets from us, with images under their usual names. */
function driversOf(args: KubernetesClusterArgs): BundledDriver[] {
    return [nfsDriver(args), cinderDriver(args)].filter(each => each !== undefined);
}

function nfsDriver({ storage, snapshotController }: KubernetesClusterArgs): BundledDriver | undefined {
    const { enabled = true, imageRepository } = storage?.nfsCsi ?? {};
    if (!enabled || imageRepository !== undefined || !hasClasses(storage?.storageClasses)) return undefined;
    return {
        title: "the NFS CSI driver",
        addOn: "nfs-csi",
        repositoryInput: "storage.nfsCsi.imageRepository",
        plugin: nfsCsiImage("plugin"),
        images: [
            ...(Object.keys(nfsCsiImages) as (keyof typeof nfsCsiImages)[]).map(image => nfsCsiImage(image)),
            ...(hasClasses(storage?.snapshotClasses) ? imagesOfSnapshots(snapshotController) : []),
        ],
    };
}

/** A version of the user's may be in no bundle. */
function cinderDriver(args: KubernetesClusterArgs): BundledDriver | undefined {
    const { cinderCsi, imageRepository } = args.cloudProvider ?? {};
    const version = cloudVersionFor(args.kubernetes.version);
    if (cinderCsi === undefined || cinderCsi.enabled === false || imageRepository !== undefined) return undefined;
    if (version === undefined || cinderCsi.version !== undefined) return undefined;
    const plugin = cloudImage(defaultRepository, "cinderCsi", version);
    return {
        title: "Cinder CSI",
        addOn: "cinder-csi",
        repositoryInput: "cloudProvider.imageRepository",
        plugin,
        images: [
            plugin,
            ...(["attacher", "provisioner", "resizer", "nodeDriverRegistrar"] as const).map(name =>
                sidecarImage(defaultRepository, name),
            ),
            ...(hasClasses(cinderCsi.snapshotClasses) ? imagesOfSnapshots(args.snapshotController) : []),
        ],
    };
}

function imagesOfSnapshots(controller: KubernetesClusterArgs["snapshotController"] = {}): string[] {
    const { enabled = true, imageRepository } = controller;
    const ours = enabled && imageRepository === undefined;
    return [snapshotImage("sidecar"), ...(ours ? [snapshotImage("controller")] : [])];
}
