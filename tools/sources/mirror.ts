import { constants, statSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Entry, lookUp, obtain } from "../cache";
import { type FoundTool, foundIn, NotHere, type Source } from "../found";
import { builtCode } from "../go-groups";
import type { Progress } from "../progress";
import { reportedVersion } from "../reported-version";
import { sha256File } from "../sums";
import { unpack } from "../unpack";
import type { Release, Tool } from "../versions";
import { unreadable, type Vouched, type Vouchers, vouchers } from "./mirror-sums";

/** In words, which of the tool's files the folder does not have; undefined: it has all. */
export function lackingFiles(folder: string | undefined, { releases }: Tool): string | undefined {
    const files = releases.map(({ file }) => file);
    if (folder === undefined) return `there is no mirror folder with ${files.join(", ")}`;
    const lacking = files.filter(file => isLacking(join(folder, file)));
    return lacking.length === 0 ? undefined : `the mirror folder ${folder} has no ${lacking.join(", ")}`;
}

/** A file that this user may not look at is not lacking: the refusal says that it cannot be read. */
function isLacking(path: string): boolean {
    try {
        return statSync(path, { throwIfNoEntry: false }) === undefined;
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === "ENOTDIR";
    }
}

/** A folder with release files under upstream's names, and its own SHA256SUMS. */
export function mirror(folder: string | undefined, progress: Progress): Source {
    const has = (tool: Tool) => lackingFiles(folder, tool) === undefined;
    return {
        name: "mirror",
        quick: true,
        // What was taken stays usable without the folder (a stick that was pulled out, another shell), by the sums that we know ourselves.
        ready: async tool => {
            if (folder !== undefined && !has(tool)) return undefined;
            const sums = await vouchers(folder, tool).catch(notNow);
            if (sums === undefined || sums.without.length > 0) return undefined;
            const entry = await lookUp(request(tool, sums.vouched));
            return entry && found(entry, tool, sums.vouched);
        },
        prospect: async tool => {
            if (folder === undefined || !has(tool)) return undefined;
            let sums: Vouchers;
            try {
                sums = await vouchers(folder, tool);
            } catch (error) {
                return { usable: false, detail: `not taken from ${folder}: ${(error as NotHere).message}` };
            }
            const { vouched, without } = sums;
            if (without.length > 0) {
                return { usable: false, detail: `not taken from ${folder}: no sum vouches for ${without.join(", ")}` };
            }
            const detail = `in the mirror folder ${folder} (sum not compared yet)`;
            return { usable: true, detail, code: codeOf(tool, vouched) };
        },
        obtain: async tool => {
            if (folder === undefined) {
                throw new NotHere("there is no mirror folder (PULUMI_NFV_MIRROR)");
            }
            const lacking = lackingFiles(folder, tool);
            if (lacking !== undefined) {
                throw new NotHere(lacking);
            }
            const { vouched, without } = await vouchers(folder, tool);
            if (without.length > 0) {
                throw new NotHere(
                    `refused: nothing vouches for ${without.join(", ")} (no line in ${folder}/SHA256SUMS)`,
                );
            }
            const fill = (draft: string) => take(folder, tool, vouched, draft, progress);
            return found(await obtain(request(tool, vouched), fill, progress), tool, vouched);
        },
    };
}

/** The reason is for those who ask for the tool, and comes again then. */
function notNow(error: unknown): undefined {
    if (error instanceof NotHere) return undefined;
    throw error;
}

/** What the code is follows from the sums: our tables may have learnt it since the entry was made. */
function found({ folder, notes }: Entry, tool: Tool, vouched: Vouched[]): FoundTool {
    return { ...foundIn(folder, tool, "mirror", notes.detail), code: codeOf(tool, vouched) };
}

/** What the code of archives with these sums is, where the version says something else. */
function codeOf(tool: Tool, vouched: Vouched[]): string | undefined {
    return vouched.some(({ isRebuilt }) => isRebuilt) ? builtCode(tool.name, tool.version) : undefined;
}

/** Programs that are asked for their version, because no file name has it. */
function askedPrograms({ releases, version }: Tool): Release[] {
    return releases.filter(({ file, contents }) => contents === undefined && !file.includes(version));
}

function request(tool: Tool, vouched: Vouched[]) {
    const asked = askedPrograms(tool).map(({ file }) => file);
    return {
        group: "tools",
        name: `${tool.name}-${tool.version}`,
        inputs: {
            from: "mirror",
            sums: vouched.map(({ sum }) => [sum]),
            files: tool.releases.map(release => release.contents ?? release.file),
            ...(asked.length > 0 && { asked }),
        },
    };
}

async function take(folder: string, tool: Tool, vouched: Vouched[], draft: string, progress: Progress) {
    for (const { release, sum, by } of vouched) {
        const path = join(folder, release.file);
        progress(`${tool.title} ${tool.version}: taking ${release.file} from the mirror folder`);
        // What is verified must be what is unpacked, also while somebody writes into the folder.
        const copy = join(draft, ".taken");
        await copyOf(path, copy);
        const seen = await sha256File(copy);
        if (seen !== sum) throw new NotHere(`refused: ${path} has the sum ${seen}, expected is ${sum} (${by})`);
        await unpack(release, copy, draft);
        await rm(copy);
    }
    for (const release of askedPrograms(tool)) await refuseOtherVersion(folder, tool, release, draft);
    const by = [...new Set(vouched.map(each => each.by))];
    return { detail: `${folder}, vouched for by ${by.join(" and ")}` };
}

const ofTheFile = ["EACCES", "EPERM", "ENOENT", "EISDIR", "ELOOP", "EIO", "ESTALE"];

/** The copy lies in the cache: a full disk is not the mirror's fault. */
async function copyOf(path: string, copy: string): Promise<void> {
    await copyFile(path, copy, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
        throw ofTheFile.includes(error.code ?? "") ? unreadable(path, error) : error;
    });
}

async function refuseOtherVersion(folder: string, { version }: Tool, release: Release, draft: string): Promise<void> {
    const said = await reportedVersion(join(draft, release.program ?? release.file));
    const path = join(folder, release.file);
    if ("silent" in said) throw new NotHere(`refused: ${path} does not say its version: ${said.silent}`);
    if (said.version !== version) throw new NotHere(`refused: ${path} is ${said.version}, not ${version}`);
}
