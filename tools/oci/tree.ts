import { lstat, readdir, readlink } from "node:fs/promises";
import { join, posix } from "node:path";
import type { LayerContent } from "./layer";

type Tree = Required<Pick<LayerContent, "programs" | "files" | "links">>;

/**
 * Everything below a folder. `at`: where a file, link or folder of this relative path goes; undefined leaves it out, a folder with all that is in it.
 */
export async function treeContent(root: string, at: (path: string) => string | undefined): Promise<Tree> {
    const tree: Tree = { programs: {}, files: {}, links: {} };
    const walk = async (folder: string): Promise<void> => {
        for (const name of (await readdir(join(root, folder))).sort()) {
            const path = posix.join(folder, name);
            const full = join(root, path);
            const place = at(path);
            if (place === undefined) continue;
            const found = await lstat(full);
            if (found.isDirectory()) await walk(path);
            else if (found.isSymbolicLink()) tree.links[place] = await readlink(full);
            else if (found.isFile()) tree[found.mode & 0o111 ? "programs" : "files"][place] = full;
        }
    };
    await walk("");
    return tree;
}

/** Links that lead out of the folder in which they are, as "PATH → TARGET". */
export function linksOutOf(folder: string, links: Record<string, string>): string[] {
    return Object.entries(links)
        .filter(([path, target]) => !posix.resolve(posix.dirname(path), target).startsWith(`${folder}/`))
        .map(([path, target]) => `${path} → ${target}`);
}
