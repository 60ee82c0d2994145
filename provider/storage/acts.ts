import { script } from "../shell/script-file";
import type { Act } from "../steps/types";
import { backupConstants, exportConstants, servedConstants, settingsFile, storageConstants } from "./paths";

const { EXPORTS_FILE, WANTED_EXPORTS } = exportConstants;

/** A client of the exports for registered clients. */
export interface Registration {
    client: string;
    /** Name of its file: see StorageClientState. */
    entry: string;
    addresses: readonly string[];
    /** It loses its access. */
    goes: boolean;
}

export const registerClient = ({ client, entry, addresses, goes }: Registration): Act => ({
    id: "storage.client",
    title: goes ? `take access from ${client}` : `give ${client} access`,
    target: "self",
    run: script("storage/register-client.sh", exportConstants),
    env: { NAME: client, ENTRY: entry, OWN: addresses.join("\n"), ADDRESSES: goes ? "" : addresses.join("\n") },
    timeoutSeconds: 120,
});

/** Undoes the steps. Volumes keep their data. `clientsWait`: for another machine in its place, or until this one is set up again. */
export const leaveStorage = (clientsWait = false): Act => ({
    id: "storage.leave",
    title: "give the storage server back",
    target: "self",
    env: { CLIENTS_WAIT: clientsWait ? "yes" : "", BACKUPS: "" },
    run: script("storage/leave.sh", {
        EXPORTS_FILE,
        WANTED_EXPORTS,
        SETTINGS_FILE: settingsFile,
        ...storageConstants,
        ...servedConstants,
        ...backupConstants,
    }),
    timeoutSeconds: 600,
    disruptive: "nothing is served any more",
});
