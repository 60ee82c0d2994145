import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { withLock } from "./lock";
import { type Progress, silent } from "./progress";

const stampName = ".complete.json";

/** The folder of everything that was downloaded or built: PULUMI_NFV_CACHE, else pulumi-nfv in the user's cache folder. */
export function cacheRoot(): string {
    return process.env.PULUMI_NFV_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-nfv");
}

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
        return stamp.files.every((file, i) => file.sizeBytes === sizes[i]) ? { folder, notes: stamp.notes } : undefined;
    } catch {
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
    return withLock(`${folder}.lock`, waiting, async () => {
        const meanwhile = await lookUp(request);
        if (meanwhile) {
            return meanwhile;
        }
        const parent = join(cacheRoot(), request.group);
        await removeLeftovers(parent, request.name);
        const draft = await mkdtemp(join(parent, `.draft-${request.name}-${process.pid}-`));
        try {
            await chmod(draft, 0o755);
            const notes = await build(draft);
            const stamp: Stamp = { notes, files: await listFiles(draft) };
            await writeFile(join(draft, stampName), JSON.stringify(stamp));
            await discard(folder);
            await rename(draft, folder);
            return { folder, notes };
        } finally {
            await rm(draft, { recursive: true, force: true });
        }
    });
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

/** Removes drafts of processes that died. */
async function removeLeftovers(parent: string, name: string): Promise<void> {
    await mkdir(parent, { recursive: true });
    const alive = (pid: string) =>
        stat(`/proc/${pid}`).then(
            () => true,
            () => false,
        );
    for (const entry of await readdir(parent)) {
        const pid = entry.startsWith(`.draft-${name}-`) && entry.slice(`.draft-${name}-`.length).split("-")[0];
        if (pid && !(await alive(pid))) {
            await rm(join(parent, entry), { recursive: true, force: true });
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
