import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type EntryRequest, lookUp, obtain } from "../cache";
import { type FoundTool, NotHere, type Source } from "../found";
import { fetchFile, fetchText } from "../http";
import type { Progress } from "../progress";
import { unreachable } from "../reachable";
import { downloadUrl, trustHint, trustsUnpinnedDownloads } from "../settings";
import { sha256File, sumOf } from "../sums";
import { unpack } from "../unpack";
import type { Release, Tool } from "../versions";

/**
 * The official release files. A server that gives a file does not vouch for it: one of which our table has no sum is refused before it
 * is fetched, unless the user has said otherwise.
 */
export function download(progress: Progress): Source {
    return {
        name: "download",
        quick: false,
        ready: async tool => {
            const entry = await lookUp(request(tool));
            return entry && found(tool, entry.folder, entry.notes);
        },
        prospect: async tool => {
            const { host } = url(tool.releases[0]);
            const unknown = tool.releases.filter(release => !release.sha256).map(release => release.file);
            return unknown.length === 0 || trustsUnpinnedDownloads()
                ? `can be downloaded from ${host} (not tried)`
                : `not downloaded from ${host}: no official sum of ${unknown.join(", ")} is known (${trustHint})`;
        },
        obtain: async tool => {
            refuseUnpinned(tool);
            const reason = await unreachable(url(tool.releases[0]));
            if (reason) {
                throw new NotHere(reason);
            }
            const entry = await obtain(request(tool), draft => take(tool, draft, progress), progress);
            return found(tool, entry.folder, entry.notes);
        },
    };
}

function url(release: Release, file = release.file): URL {
    return downloadUrl(`${release.place}${file}`);
}

function request(tool: Tool): EntryRequest {
    return {
        group: "tools",
        name: `${tool.name}-${tool.version}`,
        inputs: {
            from: "download",
            files: tool.releases.map(release => [url(release).href, release.contents ?? null]),
        },
    };
}

async function take(tool: Tool, draft: string, progress: Progress) {
    const vouched = new Set<string>();
    for (const release of tool.releases) {
        const { sum, by } = await expected(release);
        progress(`${tool.title} ${tool.version}: downloading ${url(release)}`);
        const file = join(draft, ".download");
        await fetchFile(url(release), file, progress);
        const seen = await sha256File(file);
        if (seen !== sum) {
            throw new NotHere(`refused: ${url(release)} has the sum ${seen}, expected is ${sum} (${by})`);
        }
        await unpack(release, file, draft);
        await rm(file);
        vouched.add(by);
    }
    return { detail: `${url(tool.releases[0]).host}, vouched for by ${[...vouched].join(" and ")}` };
}

function refuseUnpinned(tool: Tool): void {
    const unknown = tool.releases.filter(release => !release.sha256).map(release => release.file);
    if (unknown.length > 0 && !trustsUnpinnedDownloads()) {
        throw new NotHere(`refused: we have no official sum of ${unknown.join(", ")}. ${trustHint}`);
    }
}

async function expected(release: Release): Promise<{ sum: string; by: string }> {
    if (release.sha256) {
        return { sum: release.sha256, by: "our table of official sums" };
    }
    const from = url(release, release.sums);
    if (!isTrusted(from)) {
        throw new NotHere(`refused: we have no sum for ${release.file}, and ${from} is not protected by TLS`);
    }
    const text = await fetchText(from);
    const sum = text && sumOf(text, release.file);
    if (!sum) {
        throw new NotHere(`refused: nothing vouches for ${release.file} (no line in ${from})`);
    }
    return { sum, by: `the release's ${release.sums}` };
}

/** Sums vouch for a file only if nobody can have changed them on the way. */
function isTrusted(from: URL): boolean {
    return from.protocol === "https:" || from.hostname === "127.0.0.1" || from.hostname === "[::1]";
}

function found(tool: Tool, folder: string, notes: Record<string, string>): FoundTool {
    const programs = Object.fromEntries(tool.programs.map(name => [name, join(folder, name)]));
    return { tool, programs, source: "download", detail: notes.detail };
}
