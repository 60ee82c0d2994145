import { constants, existsSync } from "node:fs";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Entry, lookUp, obtain } from "../cache";
import { type FoundTool, foundIn, NotHere, type Source } from "../found";
import { builtCode } from "../go-groups";
import { rebuiltSums } from "../known-sums";
import type { Progress } from "../progress";
import { sha256File, sumOf } from "../sums";
import { unpack } from "../unpack";
import type { Release, Tool } from "../versions";

/** In words, which of the tool's files the folder does not have; undefined: it has all. */
export function lackingFiles(folder: string | undefined, { releases }: Tool): string | undefined {
    const files = releases.map(({ file }) => file);
    if (folder === undefined) return `there is no mirror folder with ${files.join(", ")}`;
    const lacking = files.filter(file => !existsSync(join(folder, file)));
    return lacking.length === 0 ? undefined : `the mirror folder ${folder} has no ${lacking.join(", ")}`;
}

/** A folder with release files under upstream's names, and its own SHA256SUMS. */
export function mirror(folder: string | undefined, progress: Progress): Source {
    const has = (tool: Tool) => lackingFiles(folder, tool) === undefined;
    return {
        name: "mirror",
        quick: true,
        // What was taken stays usable without the folder (a stick that was pulled out, another shell), by the sums that we know ourselves.
        ready: async tool => {
            const sums = (folder === undefined || has(tool)) && (await expected(folder, tool));
            const entry = sums && (await lookUp(request(tool, sums)));
            return entry ? found(entry, tool) : undefined;
        },
        prospect: async tool => {
            if (folder === undefined || !has(tool)) return undefined;
            const unvouched = await withoutSum(folder, tool);
            return unvouched.length === 0
                ? {
                      usable: true,
                      detail: `in the mirror folder ${folder} (sum not compared yet)`,
                      code: await promisedCode(folder, tool),
                  }
                : { usable: false, detail: `not taken from ${folder}: no sum vouches for ${unvouched.join(", ")}` };
        },
        obtain: async tool => {
            if (folder === undefined) {
                throw new NotHere("there is no mirror folder (PULUMI_NFV_MIRROR)");
            }
            const lacking = lackingFiles(folder, tool);
            if (lacking !== undefined) {
                throw new NotHere(lacking);
            }
            const sums = await expected(folder, tool);
            if (!sums) {
                const files = (await withoutSum(folder, tool)).join(", ");
                throw new NotHere(`refused: nothing vouches for ${files} (no line in ${folder}/SHA256SUMS)`);
            }
            const entry = await obtain(request(tool, sums), draft => take(folder, tool, draft, progress), progress);
            return found(entry, tool);
        },
    };
}

function found({ folder, notes }: Entry, tool: Tool): FoundTool {
    return { ...foundIn(folder, tool, "mirror", notes.detail), code: notes.code };
}

/** What the code of an archive is that was not opened yet, if the folder's SHA256SUMS promises the sum of a rebuilt one. */
async function promisedCode(folder: string, tool: Tool): Promise<string | undefined> {
    const text = await ownSums(folder);
    const isRebuilt = tool.releases.some(({ file }) => {
        const rebuilt = rebuiltSums[file];
        return rebuilt !== undefined && (sumOf(text, file) ?? rebuilt) === rebuilt;
    });
    return isRebuilt ? builtCode(tool.name, tool.version) : undefined;
}

function ownSums(folder: string): Promise<string> {
    return readFile(join(folder, "SHA256SUMS"), "utf8").catch(() => "");
}

/** The accepted checksums of each file, from our tables and from the mirror. */
async function accepted(folder: string | undefined, tool: Tool): Promise<string[][]> {
    const text = folder === undefined ? "" : await ownSums(folder);
    return tool.releases.map(({ file, sha256 }) =>
        [sha256, rebuiltSums[file], sumOf(text, file)].filter(sum => sum !== undefined),
    );
}

/** The accepted checksums; undefined if a file has none. */
async function expected(folder: string | undefined, tool: Tool): Promise<string[][] | undefined> {
    const sums = await accepted(folder, tool);
    return sums.every(list => list.length > 0) ? sums : undefined;
}

/** The files that no checksum vouches for. */
async function withoutSum(folder: string, tool: Tool): Promise<string[]> {
    const sums = await accepted(folder, tool);
    return tool.releases.map(({ file }) => file).filter((_, i) => sums[i].length === 0);
}

function request(tool: Tool, sums: string[][]) {
    return {
        group: "tools",
        name: `${tool.name}-${tool.version}`,
        inputs: { from: "mirror", sums, files: tool.releases.map(release => release.contents ?? release.file) },
    };
}

async function take(folder: string, tool: Tool, draft: string, progress: Progress) {
    const vouched = new Set<string>();
    for (const release of tool.releases) {
        const path = join(folder, release.file);
        progress(`${tool.title} ${tool.version}: taking ${release.file} from the mirror folder`);
        // What is verified must be what is unpacked, also while somebody writes into the folder.
        const copy = join(draft, ".taken");
        await copyFile(path, copy, constants.COPYFILE_FICLONE);
        vouched.add(await verify(folder, release, copy));
        await unpack(release, copy, draft);
        await rm(copy);
    }
    const code = vouched.has(ofRebuilt) && builtCode(tool.name, tool.version);
    return { detail: `${folder}, vouched for by ${[...vouched].join(" and ")}`, ...(code && { code }) };
}

const ofRebuilt = "our table of rebuilt archives";

async function verify(folder: string, release: Release, copy: string): Promise<string> {
    const sum = await sha256File(copy);
    if (sum === release.sha256) {
        return "our table of official sums";
    }
    if (sum === rebuiltSums[release.file]) {
        return ofRebuilt;
    }
    const own = sumOf(await ownSums(folder), release.file);
    if (sum === own) {
        return "its SHA256SUMS";
    }
    throw new NotHere(
        `refused: ${join(folder, release.file)} has the sum ${sum}, expected is ${own ?? release.sha256 ?? rebuiltSums[release.file]}`,
    );
}
