import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { packageLayer, plainLayers } from "./images";
import { ensureLayer, type Layer, type Report, runOnLayers, scriptInputs } from "./layers";
import { scripts } from "./paths";

/** nfs-ganesha serves, and libnfs with FUSE mounts: both are programs, and need nothing of the kernel but FUSE. */
const standIns = ["nfs-ganesha", "nfs-ganesha-vfs", "libnfs13", "libfuse3-3", "fuse3", "rpcbind"];
/** What a storage server makes its backups with. */
const backup = ["restic", "openssh-client"];
const compiler = ["gcc", "libc6-dev", "pkg-config", "libfuse3-dev", "libnfs-dev"];

/** An image whose nodes can serve and mount NFS, although this kernel can do neither. `below`: the image without that. */
export async function withNfs(below: Layer[], report: Report): Promise<Layer[]> {
    const mountNfs = await compiledMountNfs(report);
    const programs = await packageLayer(
        "nfs-programs",
        "NFS server and client",
        [...standIns, ...backup],
        below,
        report,
    );
    const lower = [mountNfs, programs, ...below];
    const layer = await ensureLayer(
        {
            name: "nfs",
            what: "NFS for the nodes",
            inputs: scriptInputs("layer-nfs.sh", "nfs/"),
            below: lower,
            build: (folder, draft) => runOnLayers(lower, folder, draft, "layer-nfs.sh", [join(scripts, "nfs")]),
        },
        report,
    );
    return [layer, ...lower];
}

async function compiledMountNfs(report: Report): Promise<Layer> {
    const plain = await plainLayers(report);
    const built = [
        await packageLayer("compiler", "a compiler for the lab's programs", compiler, plain, report),
        ...plain,
    ];
    return ensureLayer(
        {
            name: "mount-nfs",
            what: "mount.nfs for the nodes",
            inputs: scriptInputs("compile-mount-nfs.sh", "nfs/"),
            below: built,
            build: async (folder, draft) => {
                const scratch = join(draft, "scratch");
                await mkdir(scratch);
                const source = join(scripts, "nfs", "mount-nfs.c");
                await runOnLayers(built, scratch, draft, "compile-mount-nfs.sh", [source, folder]);
            },
        },
        report,
    );
}
