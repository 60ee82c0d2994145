import { join } from "node:path";
import { cacheRoot } from "../tools/cache";
import { packageRoot } from "../tools/settings";

/** The lab's shell scripts are data of the package: the compiler does not copy them to dist. */
export const scripts = join(packageRoot(), "lab", "scripts");

/** Where running labs keep their state. PULUMI_NFV_LAB overrides. */
export const stateFolder = () => process.env["PULUMI_NFV_LAB"] || "/var/lib/pulumi-nfv-lab";

/** Where images and downloaded packages are kept. PULUMI_NFV_CACHE overrides. */
export const cacheFolder = () => join(cacheRoot(), "lab");

export const labFolder = (lab: string) => join(stateFolder(), lab);
export const nodeFolder = (lab: string, node: string) => join(labFolder(lab), "nodes", node);
export const labNamespace = (lab: string) => `nfv-${lab}`;
export const nodeNamespace = (lab: string, node: string) => `nfv-${lab}-${node}`;
