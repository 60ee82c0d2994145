import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { NfvError } from "../common/errors";

interface Entry {
    offset: number;
    size: number;
}

/** A manifest's reference to a blob. */
export interface Descriptor {
    mediaType: string;
    digest: string;
    size: number;
}

/**
 * An OCI archive of one image: its manifest, byte for byte, and the blobs that it references, each with its position in
 * the file.
 */
export interface ImageArchive {
    mediaType: string;
    manifest: string;
    blobs: (Descriptor & { stream: () => Readable })[];
}

/** Opens an OCI archive (an image layout in an uncompressed tar) without unpacking it. @throws BUNDLE_INVALID */
export async function openArchive(path: string): Promise<ImageArchive> {
    const invalid = (cause: string) => new NfvError({ code: "BUNDLE_INVALID", cause: `${path}: ${cause}` });
    const file = await open(path).catch(error => {
        throw invalid((error as Error).message);
    });
    try {
        const entries = await indexOf(file);
        const at = (name: string): Entry => {
            const entry = entries.get(name);
            if (entry === undefined) throw invalid(`there is no ${name} in it`);
            return entry;
        };
        const text = async (name: string) => (await readAt(file, at(name))).toString("utf8");
        const index = JSON.parse(await text("index.json")) as { manifests?: Descriptor[] };
        // One image may have several names.
        const [first, ...others] = index.manifests ?? [];
        if (first === undefined || others.some(({ digest }) => digest !== first.digest))
            throw invalid("it does not hold exactly one image");
        const manifest = await text(blobName(first.digest));
        const { config, layers } = JSON.parse(manifest) as { config: Descriptor; layers: Descriptor[] };
        const blobs = [config, ...layers].map(blob => {
            const { offset, size } = at(blobName(blob.digest));
            if (size !== blob.size) throw invalid(`${blob.digest} has ${size} bytes, not ${blob.size}`);
            return { ...blob, stream: () => createReadStream(path, { start: offset, end: offset + size - 1 }) };
        });
        return { mediaType: first.mediaType, manifest, blobs };
    } finally {
        await file.close();
    }
}

function blobName(digest: string): string {
    return `blobs/${digest.replace(":", "/")}`;
}

const block = 512;

/** The position of each file in a tar. Names in such archives are short, so only the plain header is read. */
async function indexOf(file: FileHandle): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>();
    for (let offset = 0; ; ) {
        const header = await readAt(file, { offset, size: block });
        const text = (from: number, length: number) =>
            header
                .subarray(from, from + length)
                .toString("utf8")
                .replace(/\0.*$/s, "");
        const name = text(0, 100);
        if (header.length < block || name === "") return entries;
        const size = Number.parseInt(text(124, 12).trim() || "0", 8);
        entries.set(name.replace(/^\.\//, ""), { offset: offset + block, size });
        offset += block + Math.ceil(size / block) * block;
    }
}

async function readAt(file: FileHandle, { offset, size }: Entry): Promise<Buffer> {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset);
    return buffer.subarray(0, bytesRead);
}
