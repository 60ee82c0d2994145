import { readdirSync } from "node:fs";
import { dirname, join, normalize, parse, resolve, sep } from "node:path";
import { manifestName, readManifest } from "../../provider/common/bundle";
import { NfvError } from "../../provider/common/errors";

/** What stands for the version in the folder of a bundle. */
export const versionMark = "{version}";

/** "./bundle-{version}" → "./bundle-1.35.4". Pure. */
export const bundleFolder = (pattern: string, version: string): string => pattern.replaceAll(versionMark, version);

/** Folder → version, of the bundles that a pattern can mean, or that lie beside the one that the stack has. What cannot be read is none. */
export async function bundlesLike(folder: string, pattern: string): Promise<Record<string, string>> {
    const found = await Promise.all(
        foldersLike(folder, pattern).map(async name => {
            const version = await versionIn(resolve(folder, name)).catch(() => undefined);
            return version === undefined ? [] : [[name, version] as const];
        }),
    );
    return Object.fromEntries(found.flat());
}

/** Each part of the pattern with the mark stands for all folders that begin and end like it; without a mark the last part stands for all. */
function foldersLike(folder: string, pattern: string): string[] {
    const marked = pattern.includes(versionMark) ? normalize(pattern) : join(dirname(pattern), versionMark);
    const { root } = parse(marked);
    return marked
        .slice(root.length)
        .split(sep)
        .reduce<string[]>(
            (found, part) => {
                const [before = "", after] = part.split(versionMark);
                if (after === undefined) return found.map(each => join(each, part));
                return found.flatMap(parent =>
                    folderNames(resolve(folder, parent))
                        .filter(name => name.startsWith(before) && name.endsWith(after))
                        .map(name => join(parent, name)),
                );
            },
            [root],
        );
}

/** @throws INVALID_INPUT if there is no bundle of this version */
export async function refuseOtherBundle(folder: string, path: string, version: string): Promise<void> {
    const has = await versionIn(resolve(folder, path)).catch((error: unknown) => {
        throw missing(path, version, error instanceof NfvError ? error.reason : String(error));
    });
    if (has !== version) throw missing(path, version, `${manifestName} says Kubernetes ${has}`);
}

const versionIn = async (folder: string) => (await readManifest(folder)).kubernetes;

function folderNames(parent: string): string[] {
    try {
        return readdirSync(parent, { withFileTypes: true }).flatMap(each => (each.isFile() ? [] : [each.name]));
    } catch {
        return [];
    }
}

function missing(path: string, version: string, why: string): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        cause: `upgrade: ${path} is no bundle of Kubernetes ${version}: ${why}`,
        hint: `Make it: nfv bundle --kubernetes ${version} --out ${path}. Nothing was changed.`,
    });
}
