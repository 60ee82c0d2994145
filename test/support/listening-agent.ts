import { createServer } from "node:net";

/** Something listens at the path of an SSH agent, as a program checks; it has no keys. Returns what ends it. */
export async function listeningAgent(socket: string): Promise<() => void> {
    const agent = createServer();
    await new Promise<void>(listening => agent.listen(socket, listening));
    return () => void agent.close();
}
