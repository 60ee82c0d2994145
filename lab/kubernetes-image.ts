import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ensureBundle } from "../tools/bundle";
import type { AddOnName } from "../tools/oci/add-on-images";
import { type Image, runtimeLayers } from "./images";
import { ensureLayer, type Layer, type Report, runOnLayers, scriptInputs } from "./layers";

interface BundleManifest {
    files: { path: string; kind: string; sha256: string }[];
}

interface ImageParts {
    /** @default the pinned one */
    bundleFolder?: string;
    /** Images that the pinned bundle has besides. */
    addOns?: readonly AddOnName[];
}

/** The golden image: runtime, load balancer, Kubernetes and imported container images. */
export async function kubernetesImage(report: Report, { bundleFolder, addOns = [] }: ImageParts = {}): Promise<Image> {
    const bundle = bundleFolder ?? (await ensureBundle({ onProgress: report, addOns }));
    const manifest: BundleManifest = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
    const runtime = await runtimeLayers(report);
    const sums = (wanted: (kind: string) => boolean) =>
        manifest.files.filter(file => wanted(file.kind)).map(file => [file.path, file.sha256]);
    const kubernetes = await ensureLayer(
        {
            name: "kubernetes",
            what: "Kubernetes for the nodes",
            inputs: {
                files: sums(kind => kind === "binary" || kind === "cni"),
                scripts: scriptInputs("layer-kubernetes.sh"),
            },
            below: runtime,
            build: (folder, draft) => runOnLayers(runtime, folder, draft, "layer-kubernetes.sh", [bundle]),
        },
        report,
    );
    const layers = [kubernetes, ...runtime];
    const archives = manifest.files.filter(file => file.kind === "image").map(file => join(bundle, file.path));
    const images = await importedImages(
        layers,
        archives,
        sums(kind => kind === "image"),
        report,
    );
    return { layers, containerd: images.folder };
}

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
