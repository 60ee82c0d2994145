import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import type { Cloud } from "../../lab/openstack";

/**
 * Starts a program of this folder in the cloud's network, and waits until it says that it listens. It ends with its standard input: when it is closed, or this
 * process ends.
 */
export async function startInCloud(
    cloud: Pick<Cloud, "enter">,
    program: string,
    words: string[],
): Promise<{ close(): Promise<void> }> {
    const [command, ...rest] = cloud.enter([process.execPath, path.join(__dirname, `${program}.js`), ...words]);
    const child = spawn(command!, rest, { stdio: ["pipe", "pipe", "inherit"] });
    const gone = once(child, "exit");
    const failed = gone.then(() => Promise.reject(new Error(`${program} ended before it listened`)));
    await Promise.race([once(child.stdout, "data"), failed]);
    return {
        close: async () => {
            child.stdin.end();
            await gone;
        },
    };
}
