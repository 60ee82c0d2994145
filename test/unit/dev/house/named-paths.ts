import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { projectRoot } from "../../../../dev/levels";

/** In backticks, what looks like a file or folder of ours: "x.ts", "lib/x.sh", "folder/", "../room/module", "provider/room/module". */
const ours = /^(\.\.?\/.+|(provider|components|pipeline|test)\/.+|.+\.(ts|sh|py|md)|.+\/)$/;
/** "NAME.sh", "steps/<id>", "…": not the name of one file. */
const isPlaceholder = (path: string) => /[A-Z]{2}|[^\w.,{}*/-]/.test(path.replace(/\bREADME\.md$/, ""));

/** The paths in a README in `folder` that lead to nothing. They are relative to it or to the repository's root. */
export function wrongPaths(readme: string, folder: string): string[] {
    const text = readme.replace(/^```[\s\S]*?^```$/gm, "");
    return [...text.matchAll(/`([^`\n]+)`/g)]
        .map(([, path]) => path!)
        .filter(path => ours.test(path) && !path.startsWith("/") && !isPlaceholder(path))
        .filter(path => !inBraces(path).every(each => [folder, ""].some(from => leads(join(projectRoot, from, each)))));
}

/** "a/{b,c}.ts" → "a/b.ts", "a/c.ts". */
function inBraces(path: string): string[] {
    const [all, list] = /\{([^}]*)\}/.exec(path) ?? [];
    return list === undefined ? [path] : list.split(",").flatMap(each => inBraces(path.replace(all!, each)));
}

function leads(path: string): boolean {
    if (!path.includes("*")) return existsSync(path) || existsSync(`${path}.ts`);
    const name = new RegExp(`^${basename(path).replaceAll(".", "[.]").replaceAll("*", ".*")}$`);
    return existsSync(dirname(path)) && readdirSync(dirname(path)).some(file => name.test(file));
}
