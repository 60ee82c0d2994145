import { accessSync, constants, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, sep } from "node:path";
import { NfvError } from "../provider/common/errors";
import { whyUnwritable } from "../provider/common/given-file";

/** The cache's folder cannot be used. No other source of a tool changes that, so the user hears of it rather than of a missing tool. */
export class CacheUnusable extends NfvError {
    /** @param problem in words, without the variable's name */
    constructor(readonly problem: string) {
        super({
            code: "INVALID_INPUT",
            cause: `PULUMI_NFV_CACHE: ${problem}`,
            hint: "Correct that, or give a folder of this user: PULUMI_NFV_CACHE=/ABSOLUTE/PATH.",
        });
    }
}

/** The folder of everything that was downloaded or built: PULUMI_NFV_CACHE, else pulumi-nfv in the user's cache folder. */
export function cacheRoot(): string {
    const given = process.env.PULUMI_NFV_CACHE;
    // Runs in other folders would have other caches and other locks.
    if (given && !isAbsolute(given))
        throw new CacheUnusable(`"${given}" is a relative path, an absolute one is expected`);
    return given || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-nfv");
}

/** In words, why nothing can be taken from the cache or put there; undefined: it can be used. Changes nothing. */
export function cacheProblem(): string | undefined {
    try {
        const root = cacheRoot();
        refuseOthers(root);
        return whyUnusable(root);
    } catch (error) {
        if (error instanceof CacheUnusable) return error.problem;
        throw error;
    }
}

/** Of a folder that is not there yet, the nearest one above it counts. */
function whyUnusable(folder: string): string | undefined {
    try {
        if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
        accessSync(folder, constants.W_OK | constants.X_OK);
        return undefined;
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT" || code === "ENOTDIR") return whyUnusable(dirname(folder));
        return `${folder}: ${whyUnwritable(error)}`;
    }
}

/**
 * Refuses an entry, or a folder above it in the cache, that others could have filled: what lies there is run.
 * @throws CacheUnusable
 */
export function refuseOthers(folder: string): void {
    const root = cacheRoot();
    for (let at = folder; at === root || at.startsWith(root + sep); at = dirname(at)) {
        const found = statIfReadable(at);
        const why = found && whyOthers(found, process.geteuid?.() ?? 0);
        if (why !== undefined)
            throw new CacheUnusable(`${at} ${why}: others could put programs there that are run here`);
    }
}

/** Undefined also of a place that cannot be looked at: whoever uses it next hears why. */
function statIfReadable(path: string): Stats | undefined {
    try {
        return statSync(path, { throwIfNoEntry: false });
    } catch {
        return undefined;
    }
}

/** Why a file or folder is not only this user's and root's; undefined: it is. Pure. */
export function whyOthers({ uid, mode }: Pick<Stats, "uid" | "mode">, user: number): string | undefined {
    if (uid !== user && uid !== 0) return `belongs to user ${uid}, not to user ${user} or root`;
    return (mode & 0o002) === 0 ? undefined : "can be written by all users (chmod o-w)";
}

const ofTheDisk = ["ENOSPC", "EDQUOT"];
const ofTheFolder = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ELOOP", "ENAMETOOLONG"];

/** An error of the file system while an entry is made, as one of the cache's folder if it is that. */
export function asCacheError(error: unknown): unknown {
    const { code = "", path, dest } = error as NodeJS.ErrnoException & { dest?: string };
    const root = cacheRoot();
    const place = dest ?? path;
    const isOfTheDisk = ofTheDisk.includes(code) && (place === undefined || isBelow(place, root));
    // Of a copy, such an error may mean the file that is read.
    const isOfTheFolder = ofTheFolder.includes(code) && dest === undefined && path !== undefined && isBelow(path, root);
    if (isOfTheDisk) return new CacheUnusable(`${root}: ${whyUnwritable(error)}`);
    return isOfTheFolder ? new CacheUnusable(whyUnusable(path!) ?? `${path}: ${whyUnwritable(error)}`) : error;
}

/** Does something in the cache besides entries. @throws CacheUnusable where the cache is why it fails */
export async function inCache<T>(work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        throw asCacheError(error);
    }
}

/** Also of the folders above the cache, which are made with it. */
function isBelow(path: string, root: string): boolean {
    return path === root || path.startsWith(root + sep) || root.startsWith(path + sep);
}
