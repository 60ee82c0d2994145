import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ensureBundle } from "../tools/bundle";
import type { AddOnName } from "../tools/oci/add-on-images";
import { versions } from "../tools/versions";
import { type Image, runtimeLayers, type SystemName } from "./images";
import { ensureLayer, type Layer, type Report, runOnLayers, scriptInputs } from "./layers";

interface BundleManifest {
    files: { path: string; kind: string; sha256: string }[];
}

interface ImageParts {
    /** Images that the first bundle has besides. */
    addOns?: readonly AddOnName[];
    /** The programs are of the first version; container images of all are there. @default the pinned one */
    kubernetes?: readonly string[];
    /** @default the machine's own */
    system?: SystemName;
}

/**
 * A bundle of any version. Another patch release of the pinned minor is the pinned one's programs under another number, within seconds;
 * another minor is genuine, and is built in 10 to 20 minutes if no source has it.
 */
export function labBundle(version: string, addOns: readonly AddOnName[], onProgress: Report): Promise<string> {
    const pinned = versions.kubernetes;
    const isRestamped = version !== pinned && minorIn(version) === minorIn(pinned);
    return ensureBundle({ kubernetes: version, ...(isRestamped && { restampFrom: pinned }), addOns, onProgress });
}

/** The golden image: runtime, load balancer, Kubernetes and imported container images. */
export async function kubernetesImage(
    report: Report,
    { addOns = [], kubernetes: wished = [versions.kubernetes], system }: ImageParts = {},
): Promise<Image> {
    const bundles: string[] = [];
    // The images of add-ons are the same in all: one bundle has them.
    const carrier = wished.includes(versions.kubernetes) ? versions.kubernetes : wished[0];
    for (const version of wished) bundles.push(await labBundle(version, version === carrier ? addOns : [], report));
    const runtime = await runtimeLayers(report, system);
    const filesOf = (folder: string, wanted: (kind: string) => boolean) => {
        const manifest: BundleManifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
        return manifest.files
            .filter(file => wanted(file.kind))
            .map(({ path, sha256 }) => ({ path, sha256, full: join(folder, path) }));
    };
    const bundle = bundles[0]!;
    const kubernetes = await ensureLayer(
        {
            name: "kubernetes",
            what: "Kubernetes for the nodes",
            inputs: {
                files: filesOf(bundle, kind => kind === "binary" || kind === "cni").map(sumOf),
                scripts: scriptInputs("layer-kubernetes.sh"),
            },
            below: runtime,
            build: (folder, draft) => runOnLayers(runtime, folder, draft, "layer-kubernetes.sh", [bundle]),
        },
        report,
    );
    const layers = [kubernetes, ...runtime];
    const all = bundles.flatMap(folder => filesOf(folder, kind => kind === "image"));
    const once = [...new Map(all.map(file => [file.sha256, file])).values()];
    const archives = once.map(({ full }) => full);
    const images = await importedImages(layers, archives, once.map(sumOf), report);
    return { layers, containerd: images.folder };
}

/** "1.36.3" → "1.36" */
const minorIn = (version: string) => version.split(".").slice(0, 2).join(".");

const sumOf = ({ path, sha256 }: { path: string; sha256: string }) => [path, sha256];

function importedImages(layers: Layer[], archives: string[], sums: string[][], report: Report): Promise<Layer> {
    return ensureLayer(
        {
            name: "images",
            what: "container images for the nodes",
            inputs: { sums, scripts: scriptInputs("import-images.sh") },
            below: layers,
            build: async (folder, draft) => {
                const scratch = join(draft, "scratch");
                await mkdir(scratch);
                await runOnLayers(layers, scratch, draft, "import-images.sh", [folder, ...archives]);
            },
        },
        report,
    );
}
