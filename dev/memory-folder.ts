import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

const needed = 1024 ** 3;

/**
 * Runs `work` with a new folder for temporary files that is in memory, where `sync` costs nothing: on a disk that is busy, each takes a tenth of a second,
 * and scripts call it thousands of times. Without such a file system, or where it is small or starts no programs, there is no folder.
 */
export async function withMemoryFolder<T>(
    work: (folder: string | undefined) => Promise<T>,
    place = "/dev/shm",
): Promise<T> {
    const folder = newFolderIn(place);
    try {
        return await work(folder);
    } finally {
        if (folder) fs.rmSync(folder, { recursive: true, force: true });
    }
}

function newFolderIn(place: string): string | undefined {
    try {
        const { bavail, bsize } = fs.statfsSync(place);
        if (bavail * bsize < needed) return undefined;
        const folder = fs.mkdtempSync(path.join(place, "nfv-"));
        if (startsPrograms(folder)) return folder;
        fs.rmSync(folder, { recursive: true, force: true });
    } catch {
        // no such file system, or one that this user may not write
    }
    return undefined;
}

function startsPrograms(folder: string): boolean {
    const program = path.join(folder, "program");
    fs.writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const { status } = spawnSync(program);
    fs.rmSync(program);
    return status === 0;
}
