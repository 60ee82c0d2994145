import { script } from "../shell/script-file";
import type { Act } from "../steps/types";
import { clientOf, exportConstants, settingsFile, storageConstants } from "./paths";

const { EXPORTS_FILE, WANTED_EXPORTS } = exportConstants;

/** Gives a client access to the exports for registered clients. No addresses: takes it away. `entry`: see entryOf. */
export const registerClient = (entry: string, addresses: readonly string[]): Act => ({
    id: "storage.client",
    title: addresses.length > 0 ? `give ${clientOf(entry)} access` : `take access from ${clientOf(entry)}`,
    target: "self",
    run: script("storage/register-client.sh", exportConstants),
    env: { NAME: entry, ADDRESSES: addresses.join("\n") },
    timeoutSeconds: 120,
});

/** Undoes the steps. Volumes keep their data. */
export const leaveStorage: Act = {
    id: "storage.leave",
    title: "give the storage server back",
    target: "self",
    run: script("storage/leave.sh", { EXPORTS_FILE, WANTED_EXPORTS, SETTINGS_FILE: settingsFile, ...storageConstants }),
    timeoutSeconds: 600,
    disruptive: "nothing is served any more",
};
