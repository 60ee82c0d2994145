import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../paths";

/** Shell and Python of the cloud are data of the package: the compiler does not copy them to dist. */
export const openstackFolder = join(packageRoot(), "lab", "openstack");

export const textOf = (path: string) => readFileSync(join(openstackFolder, path), "utf8");

/** Text of every source file below a folder, by its path. */
export function textsBelow(folder: string): Record<string, string> {
    const files = readdirSync(join(openstackFolder, folder), { recursive: true, encoding: "utf8" })
        .map(path => join(folder, path))
        .filter(path => /\.(py|sh)$/.test(path) && statSync(join(openstackFolder, path)).isFile())
        .sort();
    return Object.fromEntries(files.map(path => [path, textOf(path)]));
}
