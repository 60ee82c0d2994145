import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { type FileHandle, link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startOfProcess } from "../provider/common/process-start";

/**
 * Runs `work` while holding the lock file `path`; other processes wait. The file names its holder by pid and start time, so the lock of a
 * dead process is taken over, even if its pid is in use again. Pids of other containers that share the folder say nothing here: such a holder is dead when it has not touched
 * the file for a while. A paused container counts as dead, too: when it goes on, the lock may be another's, which it does not touch, and its work is told to stop.
 * `onWait` may throw, and `signal` may abort: then nothing was done.
 */
export async function withLock<T>(
    path: string,
    onWait: (holder: string) => void,
    work: (held: HeldLock) => Promise<T>,
    signal?: AbortSignal,
): Promise<T> {
    await mkdir(dirname(path), { recursive: true });
    const own = `${process.pid} ${startOfProcess(process.pid)} ${here()} ${randomBytes(6).toString("hex")}`;
    let told = false;
    let file = await acquire(path, own);
    for (; file === undefined; file = await acquire(path, own)) {
        signal?.throwIfAborted();
        const holder = await readFile(path, "utf8").catch(() => undefined);
        if (holder === undefined) {
            continue;
        }
        if (await isDead(path, holder)) {
            await discard(path, holder, own);
            continue;
        }
        if (!told) {
            onWait(holder.split(" ")[0]);
            told = true;
        }
        await sleep(300);
    }
    const lost = new AbortController();
    const isOurs = () => holderOf(path) === own;
    const beat = setInterval(() => {
        touch(file);
        if (!isOurs()) lost.abort(new Error(`${path} was taken over by ${holderOf(path) || "nobody"}`));
    }, lockTimes.beatMilliseconds);
    beat.unref();
    try {
        return await work({ lost: lost.signal, isOurs });
    } finally {
        clearInterval(beat);
        await file.close();
        while (isOurs()) await discard(path, own, own);
    }
}

export interface HeldLock {
    /** Aborts when the lock has become another's. */
    lost: AbortSignal;
    /** Looks at once. */
    isOurs(): boolean;
}

/** Tests set less. */
export const lockTimes = {
    beatMilliseconds: 5000,
    /** Without a sign of life for so long, a holder of another container is dead. */
    silentMilliseconds: 60_000,
};

/** By the open file: under the name there may be another's. */
function touch(file: FileHandle): void {
    const now = new Date();
    file.utimes(now, now).catch(() => {});
}

function holderOf(path: string): string {
    try {
        return readFileSync(path, "utf8");
    } catch {
        return "";
    }
}

/** Where a pid means a process: the kernel's start and the namespace. */
function here(): string {
    try {
        const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
        return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
    } catch {
        return "unknown";
    }
}

/** The open file; undefined: another holds it. link() fails if the name exists, so the file appears with its content or not at all. */
async function acquire(path: string, own: string): Promise<FileHandle | undefined> {
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    const file = await open(draft, "wx");
    try {
        await file.writeFile(own);
        await link(draft, path);
        return file;
    } catch (error) {
        await file.close();
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
        throw error;
    } finally {
        await rm(draft, { force: true });
    }
}

/**
 * Removes the lock of a dead holder, or the own one, one process at a time: two at once could both read the dead holder, and the second one would
 * remove the lock that a third process has taken since.
 */
async function discard(path: string, stale: string, own: string): Promise<void> {
    const guard = `${path}.takeover`;
    const file = await acquire(guard, own);
    if (file === undefined) {
        const holder = await readFile(guard, "utf8").catch(() => undefined);
        // The guard's holder was killed between two file operations. Only another such kill at the same moment could interfere.
        if (holder !== undefined && (await isDead(guard, holder))) await rm(guard, { force: true });
        await sleep(10);
        return;
    }
    try {
        if (holderOf(path) === stale && holderOf(guard) === own) await rm(path, { force: true });
    } finally {
        await file.close();
        if (holderOf(guard) === own) await rm(guard, { force: true });
    }
}

async function isDead(path: string, holder: string): Promise<boolean> {
    const [pid, started, where, mark] = holder.split(" ");
    if (mark !== undefined && where !== here()) {
        const found = await stat(path).catch(() => undefined);
        return found === undefined || Math.abs(Date.now() - found.mtimeMs) > lockTimes.silentMilliseconds;
    }
    const now = startOfProcess(Number(pid));
    return now === undefined || now !== started;
}
