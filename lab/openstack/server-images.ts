import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { versions } from "../../tools/versions";
import type { Image, SystemName } from "../images";
import { packageLayer, plainLayers } from "../images";
import { kubernetesImage } from "../kubernetes-image";
import { ensureLayer, type Layer, type Report, runOnLayers } from "../layers";
import { withNfs } from "../nfs-layer";
import { textOf } from "./sources";

/** An image of the cloud. In Glance its content is a text that names layers of the cache: see python/nfv_lab/disks.py. */
export interface ServerImage {
    name: string;
    /** GiB */
    minDisk: number;
    /** MiB */
    minRam: number;
    key: string;
    content: { layers: string[]; containerd: string | null };
}

export const imageNames = { plain: "debian-12", kubernetes: `debian-12-kubernetes-${versions.kubernetes}` };

/** Debian with cloud-init, and the same with everything a Kubernetes node or a storage server needs. */
export async function serverImages(report: Report): Promise<ServerImage[]> {
    const plain = await withCloudInit({ layers: await plainLayers(report) }, "plain servers", report);
    const nodes = await kubernetesImage(report);
    // Servers reach no package server, as at many sites.
    const packages = ["nfs-kernel-server", "xfsprogs"];
    const forStorage = await packageLayer("storage", "a storage server's packages", packages, nodes.layers, report);
    const withStorage = { ...nodes, layers: await withNfs([forStorage, ...nodes.layers], report) };
    return [
        serverImage(imageNames.plain, plain, { minDisk: 1, minRam: 128 }),
        await kubernetesServers(imageNames.kubernetes, withStorage, report),
    ];
}

async function kubernetesServers(name: string, nodes: Image, report: Report): Promise<ServerImage> {
    const servers = await withCloudInit(nodes, "Kubernetes servers", report);
    return serverImage(name, servers, { minDisk: 5, minRam: 512 });
}

/** An image of another system for Kubernetes nodes. It is no storage server: the lab's NFS server is built of Debian 12's parts. */
export async function otherServers(name: string, system: SystemName, report: Report): Promise<ServerImage> {
    return kubernetesServers(name, await kubernetesImage(report, { system }), report);
}

async function withCloudInit(image: Image, what: string, report: Report): Promise<Image> {
    const packages = await packageLayer("cloudinit", `cloud-init for ${what}`, ["cloud-init"], image.layers, report);
    const below = [packages, ...image.layers];
    const script = "layer-server.sh";
    const server = await ensureLayer(
        {
            name: "server",
            what: `settings of ${what}`,
            inputs: { script: textOf(join("scripts", script)) },
            below,
            // runOnLayers looks for scripts in lab/scripts.
            build: (folder, draft) => runOnLayers(below, folder, draft, join("../openstack/scripts", script), []),
        },
        report,
    );
    return { ...image, layers: [server, ...below] };
}

export function serverImage(name: string, image: Image, least: { minDisk: number; minRam: number }): ServerImage {
    const content = {
        layers: image.layers.map((layer: Layer) => basename(layer.folder)),
        containerd: image.containerd ? basename(image.containerd) : null,
    };
    const key = createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
    return { name, ...least, key, content };
}
