import { stat } from "node:fs/promises";
import { posix } from "node:path";
import type { TarMember } from "./tar";

/** What is in an image. Paths are absolute, as a process in the container sees them. */
export interface LayerContent {
    /** path → file on this machine; executable. */
    programs?: Record<string, string>;
    /** path → file on this machine; not executable. */
    files?: Record<string, string>;
    /** path → text. */
    texts?: Record<string, string>;
    /** path → target. */
    links?: Record<string, string>;
    folders?: string[];
    /** Folders in which every user may write. */
    openFolders?: string[];
}

/** The members of a layer: parents before children, sorted, all owned by root. */
export async function layerMembers(content: LayerContent): Promise<TarMember[]> {
    const members = new Map<string, TarMember>();
    const put = (path: string, member: Omit<TarMember, "path">) => {
        const inside = path.replace(/^\/+|\/+$/g, "");
        for (let up = posix.dirname(inside); up !== "."; up = posix.dirname(up)) {
            if (!members.has(up)) {
                members.set(up, folder(up));
            }
        }
        members.set(inside, { path: inside, ...member });
    };
    for (const path of content.folders ?? []) {
        put(path, folder(path.replace(/^\//, "")));
    }
    for (const path of content.openFolders ?? []) {
        put(path, { type: "folder", mode: 0o1777 });
    }
    for (const [mode, files] of [
        [0o755, content.programs],
        [0o644, content.files],
    ] as const) {
        for (const [path, source] of Object.entries(files ?? {})) {
            put(path, { type: "file", mode, source: { path: source, sizeBytes: (await stat(source)).size } });
        }
    }
    for (const [path, text] of Object.entries(content.texts ?? {})) {
        put(path, { type: "file", mode: 0o644, content: Buffer.from(text) });
    }
    for (const [path, target] of Object.entries(content.links ?? {})) {
        put(path, { type: "link", mode: 0o777, target });
    }
    return [...members.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function folder(path: string): TarMember {
    return { path, type: "folder", mode: path === "tmp" || path === "var/tmp" ? 0o1777 : 0o755 };
}
