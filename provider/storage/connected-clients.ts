import { script } from "../shell/script-file";
import type { Connection } from "../ssh/types";
import { query } from "../steps/query";
import type { StorageSpec } from "./spec";

/** Addresses that have a connection to the NFS server: machines with mounts. One that is idle over version 3 may have none for now. */
export async function connectedClients(connection: Connection, { name, address }: StorageSpec): Promise<string[]> {
    const text = await query(connection, {
        step: "look who mounts",
        node: name,
        script: script("storage/connected-clients.sh"),
        env: { ADDRESS: address },
        timeoutSeconds: 30,
    });
    return text.split("\n").filter(line => line !== "");
}
