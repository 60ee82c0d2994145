import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Checkout } from "./choose-files";
import { helpersOf } from "./helpers";
import { projectRoot } from "./levels";

const record = "test/passed.json";

/**
 * Standard output of git in the checkout; undefined without git, without a clone, or if the command fails. A repository around the
 * unpacked sources says nothing of them.
 */
function git(root: string, ...argv: string[]): string | undefined {
    const place = [`--git-dir=${join(root, ".git")}`, `--work-tree=${root}`];
    const { status, stdout } = spawnSync("git", [...place, ...argv], { cwd: root, encoding: "utf8" });
    return status === 0 ? stdout : undefined;
}

const paths = (text: string) => text.split("\0").filter(Boolean);

/** What `chooseFiles` needs to know of this checkout. Throws if the notes of what passed cannot be read. */
export function readCheckout(root = projectRoot): Checkout & { commit: string | undefined } {
    const known = new Map<string, string[] | undefined>();
    const changedSince = (commit: string) => {
        if (!known.has(commit)) known.set(commit, changesSince(root, commit));
        return known.get(commit);
    };
    const turn = Number.parseInt(git(root, "rev-parse", "--short=8", "HEAD") ?? "0", 16);
    return { passed: readPassed(root), changedSince, helpersOf, turn, commit: cleanCommit(root) };
}

function changesSince(root: string, name: string): string[] | undefined {
    const commit = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`)?.trim();
    const changed = commit && git(root, "diff", "-z", "--name-only", "--no-renames", commit, "--");
    const added = git(root, "ls-files", "-z", "--others", "--exclude-standard");
    return changed === undefined ? undefined : paths(`${changed}\0${added ?? ""}`);
}

/** The commit that is checked out; undefined with changes that are not committed. */
function cleanCommit(root: string): string | undefined {
    const changed = git(root, "status", "--porcelain", "--untracked-files=normal", "--", `:!${record}`);
    return changed === "" ? git(root, "rev-parse", "--short=8", "HEAD")?.trim() : undefined;
}

/** The commit on which each story last passed, by its name. */
function readPassed(root: string): Record<string, string> {
    const file = join(root, record);
    try {
        const passed = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
        for (const [story, commit] of Object.entries(passed))
            if (!/^[0-9a-f]{7,40}$/.test(String(commit)))
                throw new Error(`${story}: ${JSON.stringify(commit)} is no commit's number`);
        return passed;
    } catch (error) {
        const way = "mend it, or delete it: then each story counts as one that never passed";
        throw new Error(`${record}: ${(error as Error).message}; ${way}`);
    }
}

/**
 * Notes that these stories passed on this commit, where `readCheckout` found it before they ran. If the checkout was changed, or is
 * another one since, nobody knows what they tested: nothing is noted.
 * @returns whether it noted them
 */
export function notePassed(names: readonly string[], commit: string | undefined, root = projectRoot): boolean {
    if (commit === undefined || commit !== cleanCommit(root)) return false;
    const all = { ...readPassed(root), ...Object.fromEntries(names.map(name => [name, commit])) };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    // At once: another run may read it.
    const draft = join(root, `${record}.${process.pid}`);
    writeFileSync(draft, `${JSON.stringify(sorted, null, 4)}\n`);
    renameSync(draft, join(root, record));
    return true;
}
