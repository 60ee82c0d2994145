import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type EntryRequest, lookUp, obtain } from "../cache";
import { foundIn, NotHere, type Source } from "../found";
import { fetchFile, fetchText, shown } from "../http";
import type { Progress } from "../progress";
import { unreachable } from "../reachable";
import { downloadUrl, trustHint, trustsUnpinnedDownloads } from "../settings";
import { sha256File, sumOf } from "../sums";
import { unpack } from "../unpack";
import type { Release, Tool } from "../versions";

/**
 * The official release files. A server does not vouch for its own files: a file that our table has no checksum for is refused before
 * the download, unless the user allows it.
 */
export function download(progress: Progress): Source {
    return {
        name: "download",
        quick: false,
        ready: async tool => {
            // A file that was accepted without a known checksum is used only while the user still allows it.
            if (tool.imagesOnly) return undefined;
            const entry = isRefused(tool) ? undefined : await lookUp(downloadEntry(tool));
            return entry && foundIn(entry.folder, tool, "download", entry.notes.detail);
        },
        prospect: async tool => {
            if (tool.imagesOnly) return undefined;
            const { host } = url(tool.releases[0]);
            const refusal = `no official sum of ${unpinned(tool).join(", ")} is known (${trustHint})`;
            return isRefused(tool)
                ? { usable: false, detail: `not downloaded from ${host}: ${refusal}` }
                : { usable: true, detail: `can be downloaded from ${host} (not tried)` };
        },
        obtain: async tool => {
            if (tool.imagesOnly) throw new NotHere("upstream publishes container images only");
            refuseUnpinned(tool);
            const reason = await unreachable(url(tool.releases[0]));
            if (reason) {
                throw new NotHere(reason);
            }
            const entry = await obtain(downloadEntry(tool), draft => take(tool, draft, progress), progress);
            return foundIn(entry.folder, tool, "download", entry.notes.detail);
        },
    };
}

function url(release: Release, file = release.file): URL {
    return downloadUrl(`${release.place}${file}`);
}

/** The checksum is part of the entry's key: when it becomes known, a file accepted without it is not used any more. */
export function downloadEntry(tool: Tool): EntryRequest {
    return {
        group: "tools",
        name: `${tool.name}-${tool.version}`,
        inputs: {
            from: "download",
            files: tool.releases.map(release => [
                shown(url(release)),
                release.contents ?? null,
                release.sha256 ?? null,
            ]),
        },
    };
}

async function take(tool: Tool, draft: string, progress: Progress) {
    const vouched = new Set<string>();
    for (const release of tool.releases) {
        const { sum, by } = await expected(release);
        progress(`${tool.title} ${tool.version}: downloading ${shown(url(release))}`);
        const file = join(draft, ".download");
        await fetchFile(url(release), file, progress);
        const seen = await sha256File(file);
        if (seen !== sum) {
            throw new NotHere(`refused: ${shown(url(release))} has the sum ${seen}, expected is ${sum} (${by})`);
        }
        await unpack(release, file, draft);
        await rm(file);
        vouched.add(by);
    }
    return { detail: `${url(tool.releases[0]).host}, vouched for by ${[...vouched].join(" and ")}` };
}

function unpinned(tool: Tool): string[] {
    return tool.releases.filter(release => !release.sha256).map(release => release.file);
}

function isRefused(tool: Tool): boolean {
    return unpinned(tool).length > 0 && !trustsUnpinnedDownloads();
}

function refuseUnpinned(tool: Tool): void {
    if (isRefused(tool)) {
        throw new NotHere(`refused: we have no official sum of ${unpinned(tool).join(", ")}. ${trustHint}`);
    }
}

async function expected(release: Release): Promise<{ sum: string; by: string }> {
    if (release.sha256) {
        return { sum: release.sha256, by: "our table of official sums" };
    }
    const from = url(release, release.sums);
    const sum = sumOf(await fetchText(from, isTrusted), release.file);
    if (!sum) {
        throw new NotHere(`refused: nothing vouches for ${release.file} (no line in ${shown(from)})`);
    }
    return { sum, by: `the release's ${release.sums}` };
}

/** A server's checksums vouch for a file only if they cannot be changed on the way. */
function isTrusted(from: URL): boolean {
    return from.protocol === "https:" || from.hostname === "127.0.0.1" || from.hostname === "[::1]";
}
