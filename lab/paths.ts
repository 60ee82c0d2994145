import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Folder of package.json: the same from lab/ and from dist/lab/. */
export function packageRoot(from = __dirname): string {
    let folder = from;
    while (!existsSync(join(folder, "package.json"))) {
        const parent = dirname(folder);
        if (parent === folder) {
            throw new Error(`no package.json above ${from}`);
        }
        folder = parent;
    }
    return folder;
}

/** The lab's shell scripts are data of the package: the compiler does not copy them to dist. */
export const scripts = join(packageRoot(), "lab", "scripts");

/** Where running labs keep their state. PULUMI_NFV_LAB overrides. */
export const stateFolder = () => process.env["PULUMI_NFV_LAB"] || "/var/lib/pulumi-nfv-lab";

/** Where images and downloaded packages are kept. PULUMI_NFV_CACHE overrides. */
export const cacheFolder = () =>
    join(
        process.env["PULUMI_NFV_CACHE"] ||
            join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pulumi-nfv"),
        "lab",
    );

export const labFolder = (lab: string) => join(stateFolder(), lab);
export const nodeFolder = (lab: string, node: string) => join(labFolder(lab), "nodes", node);
export const labNamespace = (lab: string) => `nfv-${lab}`;
export const nodeNamespace = (lab: string, node: string) => `nfv-${lab}-${node}`;
