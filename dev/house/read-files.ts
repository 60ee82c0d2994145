import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../levels";

/** A file of a checkout. */
export interface TextFile {
    /** From the project's root. */
    path: string;
    text: string;
}

const sourceFolders = ["provider", "components", "pipeline", "tools"];
const made = new Set(["node_modules", "dist", ".state", ".pulumi", "__pycache__"]);

export const isSource = (path: string): boolean => sourceFolders.some(folder => path.startsWith(`${folder}/`));
export const isTest = (path: string): boolean => path.startsWith("test/");

/** The source, the tests and dev/, sorted by path. */
export function readFiles(root = projectRoot): TextFile[] {
    const below = (path: string): string[] =>
        readdirSync(join(root, path), { withFileTypes: true })
            .filter(({ name }) => !made.has(name) && !name.endsWith(".log"))
            .flatMap(entry => (entry.isDirectory() ? below(`${path}/${entry.name}`) : `${path}/${entry.name}`));
    const paths = [...sourceFolders, "test", "dev"].flatMap(below);
    return paths.sort().map(path => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The same of a commit of this clone. Throws if there is none. */
export function readCommit(commit: string): TextFile[] {
    const folder = mkdtempSync(join(tmpdir(), "nfv-house-"));
    try {
        const archive = join(folder, "archive.tar");
        const argv = ["archive", `--output=${archive}`, commit, ...sourceFolders, "test", "dev"];
        const { status, stderr } = spawnSync("git", argv, { cwd: projectRoot, encoding: "utf8" });
        if (status !== 0 || !existsSync(archive)) throw new Error(`git archive ${commit}: ${(stderr ?? "").trim()}`);
        const unpacked = spawnSync("tar", ["-xf", archive, "-C", folder], { encoding: "utf8" });
        if (unpacked.status !== 0) throw new Error(`tar: ${(unpacked.stderr ?? "").trim()}`);
        return readFiles(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** When each of these commits was made, in seconds. Without those that are not in this clone. */
export function datesOf(commits: readonly string[]): ReadonlyMap<string, number> {
    return new Map(
        [...new Set(commits)].flatMap(commit => {
            const argv = ["show", "--no-patch", "--format=%ct", "--end-of-options", `${commit}^{commit}`];
            const { status, stdout } = spawnSync("git", argv, { cwd: projectRoot, encoding: "utf8" });
            return status === 0 ? [[commit, Number(stdout)] as const] : [];
        }),
    );
}
