import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { projectRoot } from "../../support/user-project";

/** The files that `npm pack` takes, and the pages among them. */

export interface Page {
    /** Path from the package's root: "docs/inputs.md". */
    file: string;
    text: string;
}

let packed: string[] | undefined;

/** All files that a package's user gets. */
export function packedFiles(): string[] {
    if (packed) return packed;
    const cache = mkdtempSync(path.join(os.tmpdir(), "nfv-npm-"));
    try {
        const argv = ["pack", "--dry-run", "--json", "--offline", "--ignore-scripts", `--cache=${cache}`];
        const { status, stdout, stderr } = spawnSync("npm", argv, { cwd: projectRoot, encoding: "utf8" });
        if (status !== 0) throw new Error(`npm pack: ${stderr}`);
        const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
        packed = files.map(file => file.path);
        return packed;
    } finally {
        rmSync(cache, { recursive: true, force: true });
    }
}

export function packedPages(): Page[] {
    return packedFiles().filter(isPage).map(read);
}

/** The repository's pages for users, packed or not. */
export function pagesOf(files: string[]): Page[] {
    return files.filter(file => isPage(file) && existsSync(path.join(projectRoot, file))).map(read);
}

function isPage(file: string): boolean {
    return file.endsWith(".md");
}

function read(file: string): Page {
    return { file, text: readFileSync(path.join(projectRoot, file), "utf8") };
}

export interface Block {
    /** "README.md:47". */
    place: string;
    language: string;
    code: string;
}

/** The fenced blocks of code of a page. */
export function blocksOf({ file, text }: Page): Block[] {
    const lines = text.split("\n");
    const blocks: Block[] = [];
    let open: Block | undefined;
    lines.forEach((line, i) => {
        const fence = /^```(\w*)\s*$/.exec(line);
        if (!fence && open) open.code += `${line}\n`;
        if (!fence) return;
        if (open) {
            blocks.push(open);
            open = undefined;
        } else {
            open = { place: `${file}:${i + 1}`, language: fence[1]!, code: "" };
        }
    });
    return blocks;
}

/** The page without its blocks and without spans of code. */
export function proseOf({ text }: Page): string {
    return text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
}
