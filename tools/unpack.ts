import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { NfvError } from "../provider/errors";
import { tryRun } from "./run";
import type { Release } from "./versions";

/** Extracts a release's programs from `file` into `folder`, each under its own name, executable. */
export async function unpack(release: Release, file: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    if (release.contents === undefined) {
        const program = join(folder, release.program ?? release.file);
        await copyFile(file, program);
        await chmod(program, 0o755);
        return;
    }
    const unpacked = await mkdtemp(join(folder, ".unpack-"));
    try {
        // tar recognises the compression. Some releases name their members ./NAME, so tar gets both names and reports the missing ones: its exit code is useless. The code
        // below checks that all exist, and the checksum has verified their contents.
        const members = Object.values(release.contents).flatMap(member => [member, `./${member}`]);
        const { stderr } = await tryRun(["tar", "-xf", file, "-C", unpacked, "--no-same-owner", ...members]);
        for (const [program, member] of Object.entries(release.contents)) {
            await rename(join(unpacked, member), join(folder, program)).catch(() => {
                throw new NfvError({
                    code: "TOOL_FAILED",
                    step: `unpack ${release.file}`,
                    cause: `there is no ${member} in it`,
                    output: stderr,
                });
            });
            await chmod(join(folder, program), 0o755);
        }
    } finally {
        await rm(unpacked, { recursive: true, force: true });
    }
}
