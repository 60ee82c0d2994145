import { type ExportSpec, inOrder, type Squash, type StorageSpec } from "./spec";

/** In the place of clients: all machines that a StorageClient has registered. */
export const registered = "registered";

const squashOptions: Record<Squash, string> = { all: "all_squash", root: "root_squash", none: "no_root_squash" };

/** The exports as lib/exports.sh reads them, one a line: PATH OPTIONS ADDRESS-OF-THE-SERVER VERSION CLIENT… */
export function exportLines({ exports, address, nfs3 }: StorageSpec): string {
    const version = nfs3 ? "3" : "4";
    return inOrder(exports)
        .map(([path, each]) => [path, optionsOf(each), address, version, ...clientsOf(each)].join(" "))
        .join("\n");
}

/** Options of exports(5). `mountpoint`: the path is exported only while the volume's folder is there. */
export function optionsOf({ readOnly, sync, squash, uid, gid, options }: ExportSpec): string {
    return [
        readOnly ? "ro" : "rw",
        sync ? "sync" : "async",
        "no_subtree_check",
        "mountpoint",
        squashOptions[squash],
        ...(squash === "all" ? [`anonuid=${uid}`, `anongid=${gid}`] : []),
        ...options,
    ].join(",");
}

function clientsOf({ clients, registeredClients }: ExportSpec): string[] {
    return [...[...new Set(clients)].sort(), ...(registeredClients ? [registered] : [])];
}
