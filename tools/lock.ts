import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { link, mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startOfProcess } from "../provider/process-start";

/**
 * Runs `work` while holding the lock file `path`; other processes wait. The file names its holder by pid and start time, so the lock of a
 * dead process is taken over, even if its pid is in use again. Pids of other containers that share the folder say nothing here: such a holder is dead when it has not touched
 * the file for a while. `onWait` may throw, and `signal` may abort: then nothing was done.
 */
export async function withLock<T>(
    path: string,
    onWait: (holder: string) => void,
    work: () => Promise<T>,
    signal?: AbortSignal,
): Promise<T> {
    await mkdir(dirname(path), { recursive: true });
    const own = `${process.pid} ${startOfProcess(process.pid)} ${here()} ${randomBytes(6).toString("hex")}`;
    let told = false;
    while (!(await acquire(path, own))) {
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
    const beat = setInterval(() => touch(path), beatSeconds * 1000);
    beat.unref();
    try {
        return await work();
    } finally {
        clearInterval(beat);
        await rm(path, { force: true });
    }
}

const beatSeconds = 5;
/** Without a sign of life for so long, a holder of another container is dead. */
const silentSeconds = 60;

async function touch(path: string): Promise<void> {
    const now = new Date();
    await utimes(path, now, now).catch(() => {});
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

/** link() fails if the name exists, so the file appears with its content or not at all. */
async function acquire(path: string, own: string): Promise<boolean> {
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, own);
    try {
        await link(draft, path);
        return true;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") {
            return false;
        }
        throw error;
    } finally {
        await rm(draft, { force: true });
    }
}

/**
 * Removes the lock of a dead holder, one process at a time: two at once could both read the dead holder, and the second one would
 * remove the lock that a third process has taken since.
 */
async function discard(path: string, stale: string, own: string): Promise<void> {
    const guard = `${path}.takeover`;
    if (!(await acquire(guard, own))) {
        const holder = await readFile(guard, "utf8").catch(() => undefined);
        // The guard's holder was killed between two file operations. Only another such kill at the same moment could interfere.
        if (holder !== undefined && (await isDead(guard, holder))) await rm(guard, { force: true });
        await sleep(10);
        return;
    }
    try {
        const now = await readFile(path, "utf8").catch(() => undefined);
        if (now === stale) await rm(path, { force: true });
    } finally {
        await rm(guard, { force: true });
    }
}

async function isDead(path: string, holder: string): Promise<boolean> {
    const [pid, started, where, mark] = holder.split(" ");
    if (mark !== undefined && where !== here()) {
        const found = await stat(path).catch(() => undefined);
        return found === undefined || Math.abs(Date.now() - found.mtimeMs) > silentSeconds * 1000;
    }
    const now = startOfProcess(Number(pid));
    return now === undefined || now !== started;
}
