import { type CloudClient, CloudRefused } from "./client";
import { consoleLog, getServer } from "./nova";
import type { ServerSight } from "./server-ready";

/** Last lines of a server's console, readable; undefined: there is none, or the cloud does not show it. */
export async function consoleTail(cloud: CloudClient, serverId: string, lines = 30): Promise<string | undefined> {
    try {
        const text = readable((await consoleLog(cloud, serverId, lines * 2)) ?? "");
        return text === "" ? undefined : text.split("\n").slice(-lines).join("\n");
    } catch (error) {
        // No console before it runs (409), none with this hypervisor (501): what is known without it is said.
        if (error instanceof CloudRefused) return undefined;
        throw error;
    }
}

/** What the cloud knows of a server, for telling why it does not come up. */
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

/** Without colours, cursor movements and empty lines. */
function readable(text: string): string {
    return (
        text
            // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's output is full of them
            .replace(/\u001b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])/g, "")
            .split(/\r?\n|\r/)
            // biome-ignore lint/suspicious/noControlCharactersInRegex: the same
            .map(line => line.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "").trimEnd())
            .filter(line => line !== "")
            .join("\n")
    );
}
