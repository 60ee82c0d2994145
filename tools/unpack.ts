import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { NfvError } from "../provider/common/errors";
import { run } from "./run";
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
    const what = `unpack ${release.file}`;
    const unpacked = await mkdtemp(join(folder, ".unpack-"));
    try {
        // tar recognises the compression. It fails for a member that is not there, so it is asked for the names first: its exit code then tells
        // whether all was written, also where the disk was full or tar was killed.
        const listed = (await run(["tar", "-tf", file], { what })).split("\n");
        const members = Object.values(release.contents).flatMap(member => spellings(member, listed, release.file));
        await run(["tar", "-xf", file, "-C", unpacked, "--no-same-owner", ...members], { what });
        for (const [program, member] of Object.entries(release.contents)) {
            await rename(join(unpacked, member), join(folder, program));
            await chmod(join(folder, program), 0o755);
        }
    } finally {
        await rm(unpacked, { recursive: true, force: true });
    }
}

/** A member as the archive names it: NAME or ./NAME; of a folder, an archive may list the files only. Pure. */
function spellings(member: string, listed: string[], archive: string): string[] {
    const found = [member, `./${member}`].filter(name =>
        listed.some(line => line === name || line.startsWith(`${name}/`)),
    );
    if (found.length > 0) return found;
    throw new NfvError({
        code: "TOOL_FAILED",
        step: `unpack ${archive}`,
        cause: `there is no ${member} in it`,
        hint: "Its sum is the expected one, so whoever made the archive or its sum took another content. Put upstream's file there, with its sum.",
    });
}
