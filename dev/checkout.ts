import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Checkout } from "./choose-files";
import { projectRoot } from "./levels";

const record = join(projectRoot, "test/passed.json");

/** Standard output of git in the checkout; undefined without git, without a clone, or if the command fails. */
function git(...argv: string[]): string | undefined {
    const { status, stdout } = spawnSync("git", argv, { cwd: projectRoot, encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
}

const lines = (text: string) => text.split("\n").filter(Boolean);

/** What `chooseFiles` needs to know of this checkout. */
export function readCheckout(): Checkout {
    const known = new Map<string, string[] | undefined>();
    const changedSince = (commit: string) => {
        if (!known.has(commit)) {
            const changed = git("diff", "--name-only", "--no-renames", commit, "--");
            const added = git("ls-files", "--others", "--exclude-standard");
            known.set(commit, changed === undefined ? undefined : lines(`${changed}\n${added ?? ""}`));
        }
        return known.get(commit);
    };
    return { passed: readPassed(), changedSince, turn: Number(git("rev-list", "--count", "HEAD") ?? 0) };
}

/** The commit on which each story last passed, by its name. */
export function readPassed(): Record<string, string> {
    return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
}

/** Notes that these stories passed on the commit that is checked out. With changes that are not committed there is no such commit. */
export function notePassed(names: readonly string[]): void {
    const commit = git("rev-parse", "--short=8", "HEAD");
    const changed = git("status", "--porcelain", "--", ":!test/passed.json");
    if (names.length === 0 || commit === undefined || changed !== "") return;
    const all = { ...readPassed(), ...Object.fromEntries(names.map(name => [name, commit])) };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(record, `${JSON.stringify(sorted, null, 4)}\n`);
}
