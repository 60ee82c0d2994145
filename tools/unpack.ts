import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run";
import type { Release } from "./versions";

/** Takes a release's programs out of `file` into `folder`, each under its own name, executable. */
export async function unpack(release: Release, file: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    if (release.contents === undefined) {
        await copyFile(file, join(folder, release.file));
        await chmod(join(folder, release.file), 0o755);
        return;
    }
    const unpacked = await mkdtemp(join(folder, ".unpack-"));
    try {
        const members = Object.values(release.contents);
        await run(["tar", "-xzf", file, "-C", unpacked, "--no-same-owner", ...members], {
            what: `unpack ${release.file}`,
        });
        for (const [program, member] of Object.entries(release.contents)) {
            await chmod(join(unpacked, member), 0o755);
            await rename(join(unpacked, member), join(folder, program));
        }
    } finally {
        await rm(unpacked, { recursive: true, force: true });
    }
}
