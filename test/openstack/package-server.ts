import { serviceLayers } from "../../lab/images";
import type { Cloud } from "../../lab/openstack";
import { apiAddress } from "../../lab/openstack/settings";
import { acquireShared, packageCacheSocket, withSharedLock } from "../../lab/shared";
import { startInCloud } from "./process-in-cloud";

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
    const relay = await startInCloud(cloud, "package-relay", [apiAddress, String(port), packageCacheSocket()]);
    return { url: `http://${apiAddress}:${port}`, close: relay.close };
}
