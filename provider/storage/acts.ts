import { script } from "../shell/script-file";
import type { Act } from "../steps/types";
import { exportConstants, settingsFile, storageConstants } from "./paths";

const { EXPORTS_FILE, WANTED_EXPORTS } = exportConstants;

/** Gives a client access to the exports for registered clients. No addresses: takes it away. */
export const registerClient = (client: string, addresses: readonly string[]): Act => ({
    id: "storage.client",
    title: addresses.length > 0 ? `give ${client} access` : `take access from ${client}`,
    target: "self",
    run: script("storage/register-client.sh", exportConstants),
    env: { NAME: client, ADDRESSES: addresses.join("\n") },
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
