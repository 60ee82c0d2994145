import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { tryRun } from "../../tools/run";
import { packageRoot } from "../../tools/settings";
import type { AboutEvent } from "../events/events";

/** Variables with which pipelines say who started them, and for which commit. */
const actors = ["GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILD_USER_ID", "CHANGE_AUTHOR"];
const commits = ["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "ZUUL_NEWREV"];

/** `folder`: the project's. What cannot be found out is left out: no run fails for it. */
export async function aboutRun(
    command: string,
    folder: string,
    env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<AboutEvent> {
    const commit = (await commitOf(folder)) ?? commitIn(env);
    return {
        ...{ type: "about", time: new Date().toISOString(), command },
        package: JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")).version,
        ...(commit !== undefined && { commit }),
        by: `${firstOf(env, actors) ?? userName()}@${hostname()}`,
    };
}

const firstOf = (env: Readonly<Record<string, string | undefined>>, names: readonly string[]) =>
    names.map(name => env[name]).find(value => value !== undefined && value !== "");

function commitIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
    const text = firstOf(env, commits) ?? "";
    return /^[0-9a-f]{12,64}$/.test(text) ? text.slice(0, 12) : undefined;
}

/** In seconds: a file system that does not answer must not hold up a run. */
const patience = 3;

async function commitOf(folder: string): Promise<string | undefined> {
    const head = await git(folder, "rev-parse", "--short=12", "HEAD");
    if (head === undefined) return undefined;
    const changes = await git(folder, "status", "--porcelain", "--untracked-files=no");
    return changes === "" ? head : `${head}+`;
}

/** Undefined: it failed, or is not there. */
async function git(folder: string, ...words: string[]): Promise<string | undefined> {
    const options = { timeoutSeconds: patience, env: { GIT_OPTIONAL_LOCKS: "0" } };
    const { exitCode, stdout } = await tryRun(["git", "-C", folder, ...words], options);
    return exitCode === 0 ? stdout.trim() : undefined;
}

/** A user without a name has none, as in a container. */
function userName(): string {
    try {
        return userInfo().username;
    } catch {
        return "unknown";
    }
}
