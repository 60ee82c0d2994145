import { type CloudClient, CloudRefused } from "./client";
import { consoleLog, getServer } from "./nova";
import type { ServerSight } from "./server-ready";

/**
 * The last lines of a server's console as readable text; undefined if there are none or the cloud does not show them.
 */
export async function consoleTail(cloud: CloudClient, serverId: string, lines = 30): Promise<string | undefined> {
    try {
        const text = readable((await consoleLog(cloud, serverId, lines * 2)) ?? "");
        return text === "" ? undefined : text.split("\n").slice(-lines).join("\n");
    } catch (error) {
        // No console before the server runs (409), or with this hypervisor (501): continue without it.
        if (error instanceof CloudRefused) return undefined;
        throw error;
    }
}

/** What the cloud says of a server, to explain why it does not come up. */
export async function lookAtServer(cloud: CloudClient, serverId: string, lines = 30): Promise<ServerSight> {
    const server = await getServer(cloud, serverId);
    if (server === undefined) return { id: serverId, gone: true };
    return {
        id: serverId,
        name: server.name,
        status: server.status,
        task: server["OS-EXT-STS:task_state"] ?? undefined,
        fault: server.fault?.message,
        console: server.status === "BUILD" ? undefined : await consoleTail(cloud, serverId, lines),
    };
}

/** Removes colours, cursor movements and empty lines. */
function readable(text: string): string {
    return (
        text
            // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains them
            .replace(/\u001b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])/g, "")
            .split(/\r?\n|\r/)
            // biome-ignore lint/suspicious/noControlCharactersInRegex: the same
            .map(line => line.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "").trimEnd())
            .filter(line => line !== "")
            .join("\n")
    );
}
