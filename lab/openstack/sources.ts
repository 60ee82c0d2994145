import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../tools/settings";

/** Shell and Python of the cloud are data of the package: the compiler does not copy them to dist. */
export const openstackFolder = join(packageRoot(), "lab", "openstack");

export const textOf = (path: string) => readFileSync(join(openstackFolder, path), "utf8");
