import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CacheUnusable, cacheRoot, inCache, refuseOthers } from "./cache-folder";
import { type HeldLock, withLock } from "./lock";
import { type Progress, silent } from "./progress";

const stampName = ".complete.json";

export { cacheRoot } from "./cache-folder";

/** Facts about an entry: where it came from, and which checksum verified it. */
export type Notes = Record<string, string>;

interface Stamp {
    notes: Notes;
    files: { path: string; sizeBytes: number }[];
}

export interface Entry {
    folder: string;
    notes: Notes;
}

export interface EntryRequest {
    /** Folder below the cache: "tools/pulumi", "bundle". */
    group: string;
    /** Readable part of the entry's name. */
    name: string;
    /** Everything that decides the content. */
    inputs: unknown;
}

export function entryFolder(request: EntryRequest): string {
    const hash = createHash("sha256").update(JSON.stringify(request.inputs)).digest("hex").slice(0, 16);
    return join(cacheRoot(), request.group, `${request.name}-${hash}`);
}

/** The entry if it is complete: every file that it had at its creation still has its size. */
export async function lookUp(request: EntryRequest): Promise<Entry | undefined> {
    const folder = entryFolder(request);
    try {
        const stamp: Stamp = JSON.parse(await readFile(join(folder, stampName), "utf8"));
        const sizes = await Promise.all(stamp.files.map(async file => (await stat(join(folder, file.path))).size));
        if (stamp.files.some((file, i) => file.sizeBytes !== sizes[i])) return undefined;
        refuseOthers(folder);
        return { folder, notes: stamp.notes };
    } catch (error) {
        if (error instanceof CacheUnusable) throw error;
        return undefined;
    }
}

/**
 * The entry; if it is missing or broken, `build` makes it. `build` fills an empty folder that gets its name only when all is
 * done, so an incomplete entry is never visible. A second process waits instead of building the same entry.
 */
export async function obtain(
    request: EntryRequest,
    build: (folder: string) => Promise<Notes>,
    progress: Progress = silent,
): Promise<Entry> {
    const found = await lookUp(request);
    if (found) {
        return found;
    }
    const folder = entryFolder(request);
    const waiting = (pid: string) => progress(`${request.name}: process ${pid} is making it, waiting`);
    const made = await inCache(async () => {
        refuseOthers(folder);
        // Also with a umask of 0: what all users may write into is refused the next time.
        await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
        return withLock(
            `${folder}.lock`,
            waiting,
            async held => (await lookUp(request)) ?? (await make(folder, build, held)),
        );
    });
    // Without one, another process has the lock now, and is making the entry.
    return made ?? obtain(request, build, progress);
}

/** Undefined if the lock was lost meanwhile: by then the draft may be gone, and the name is the new holder's. */
async function make(
    folder: string,
    build: (folder: string) => Promise<Notes>,
    held: HeldLock,
): Promise<Entry | undefined> {
    const parent = dirname(folder);
    const prefix = `.draft-${basename(folder)}.`;
    await removeLeftovers(parent, prefix);
    const draft = await mkdtemp(join(parent, prefix));
    try {
        await chmod(draft, 0o755);
        const notes = await build(draft);
        const stamp: Stamp = { notes, files: await listFiles(draft) };
        await writeFile(join(draft, stampName), JSON.stringify(stamp));
        if (!held.isOurs()) return undefined;
        await discard(folder);
        await rename(draft, folder);
        return { folder, notes };
    } catch (error) {
        if (!held.isOurs()) return undefined;
        throw error;
    } finally {
        await rm(draft, { recursive: true, force: true });
    }
}

/** Removes an entry in one move, so that no process sees a part of it. */
async function discard(folder: string): Promise<void> {
    const aside = `${folder}.gone-${randomBytes(4).toString("hex")}`;
    try {
        await rename(folder, aside);
    } catch {
        return;
    }
    await rm(aside, { recursive: true, force: true });
}

/** Removes drafts of an entry by processes that died: whoever holds the entry's lock is the only one that makes it. */
async function removeLeftovers(parent: string, prefix: string): Promise<void> {
    const lengthOfRandom = 6; // by mkdtemp
    for (const name of await readdir(parent)) {
        if (name.startsWith(prefix) && name.length === prefix.length + lengthOfRandom) {
            await rm(join(parent, name), { recursive: true, force: true });
        }
    }
}

async function listFiles(folder: string): Promise<Stamp["files"]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath ?? entry.path, entry.name));
    return Promise.all(
        files.sort().map(async path => ({ path: path.slice(folder.length + 1), sizeBytes: (await stat(path)).size })),
    );
}
