import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { exportLines } from "./export-lines";
import { exportConstants } from "./paths";
import { inOrder, type StorageSpec } from "./spec";

const { EXPORTS_FILE, WANTED_EXPORTS, CLIENTS_FOLDER } = exportConstants;

/**
 * Exports and clients are known before the NFS server starts for the first time, once for each machine: see the script. Later `serveExports` and each
 * StorageClient write them.
 */
export const announceExports = step<StorageSpec>({
    id: "storage.announced",
    title: "note exports and clients before the NFS server starts",
})(spec => ({
    revision: 1,
    declaredState: {},
    env: {
        EXPORTS: exportLines(spec),
        FORMER_CLIENTS: inOrder(spec.clients ?? {})
            .map(([name, addresses]) => [name, ...addresses].join(" "))
            .join("\n"),
    },
    observe: { unseen: "what it writes, the exports' own step and the clients write later" },
    run: script("storage/announce-exports.sh", { EXPORTS_FILE, WANTED_EXPORTS, CLIENTS_FOLDER }),
    timeoutSeconds: 60,
}));
