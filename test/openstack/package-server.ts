import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import { serviceLayers } from "../../lab/images";
import type { Cloud } from "../../lab/openstack";
import { apiAddress } from "../../lab/openstack/settings";
import { acquireShared, packageCacheSocket, withSharedLock } from "../../lab/shared";

const port = 3142;

/** Where the cloud's servers find Debian's packages: an HTTP proxy, as many sites have it. */
export interface PackageServer {
    url: string;
    close(): Promise<void>;
}

/** Makes the lab's package cache reachable in the cloud's network, until it is closed or this process ends. */
export async function servePackages(cloud: Cloud): Promise<PackageServer> {
    const services = await serviceLayers(text => console.log(`      ${text}`));
    await withSharedLock(() => acquireShared(services));
    const relay = [path.join(__dirname, "package-relay.js"), apiAddress, String(port), packageCacheSocket()];
    const [command, ...rest] = cloud.enter([process.execPath, ...relay]);
    const server = spawn(command!, rest, { stdio: ["pipe", "pipe", "inherit"] });
    const gone = once(server, "exit");
    const failed = gone.then(() => Promise.reject(new Error("the relay to the package cache ended")));
    await Promise.race([once(server.stdout, "data"), failed]);
    return {
        url: `http://${apiAddress}:${port}`,
        close: async () => {
            server.stdin.end();
            await gone;
        },
    };
}
