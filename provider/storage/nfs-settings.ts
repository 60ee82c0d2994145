import { sh } from "../shell/script";
import { step } from "../steps/step";
import { settingsFile } from "./paths";
import type { StorageSpec } from "./spec";

/** Settings of the NFS server beside the distribution's own file. Written before the server is installed, so that its first start has them. */
export const configureNfs = step<StorageSpec>({
    id: "storage.settings",
    title: "configure the NFS server",
    disruptive: "the NFS server restarts: clients pause",
})(({ threads, nfs3 }) => ({
    revision: 1,
    files: [
        {
            path: settingsFile,
            content: `# written by pulumi-nfv\n[nfsd]\nthreads=${threads}\nvers3=${nfs3 ? "y" : "n"}\n`,
        },
    ],
    run: sh`
        systemctl -q try-restart nfs-server.service
    `,
    observe: { unseen: "a server that runs does not say with which settings it was started" },
    timeoutSeconds: 120,
}));
