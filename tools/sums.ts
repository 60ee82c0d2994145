import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** SHA-256 of a file, hexadecimal. */
export async function sha256File(path: string): Promise<string> {
    const hash = createHash("sha256");
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
    return hash.digest("hex");
}

/** The checksum of `file` in the output of sha256sum. */
export function namedSum(text: string, file: string): string | undefined {
    const named = words(text).find(([sum, name]) => isSum(sum) && name?.replace(/^\*|^\.\//, "") === file);
    return named?.[0].toLowerCase();
}

/** The checksum of `file` in the output of sha256sum, or in a text that contains only one checksum. */
export function sumOf(text: string, file: string): string | undefined {
    const named = namedSum(text, file);
    if (named !== undefined) return named;
    const [only, ...more] = words(text).filter(([first]) => first !== "");
    return only?.length === 1 && more.length === 0 && isSum(only[0]) ? only[0].toLowerCase() : undefined;
}

function words(text: string): string[][] {
    return text.split("\n").map(line => line.trim().split(/\s+/));
}

function isSum(text: string | undefined): boolean {
    return text !== undefined && /^[0-9a-fA-F]{64}$/.test(text);
}
