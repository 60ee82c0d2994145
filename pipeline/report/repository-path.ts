import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const names = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/**
 * Path of a project's file in its repository, with `/`, as code hosts want it: of the folder with `.git`, or of this folder if there is none above. "Pulumi.yaml" if there
 * is no such path.
 */
export function projectFileInRepository(folder: string): string {
    try {
        const project = realpathSync(resolve(folder));
        const name = names.find(each => existsSync(join(project, each))) ?? names[0]!;
        const path = relative(rootAbove(project) ?? realpathSync("."), join(project, name));
        return path.startsWith("..") ? name : path.split(sep).join("/");
    } catch {
        return names[0]!;
    }
}

function rootAbove(folder: string): string | undefined {
    // A file in worktrees and submodules.
    if (existsSync(join(folder, ".git"))) return folder;
    const above = dirname(folder);
    return above === folder ? undefined : rootAbove(above);
}
