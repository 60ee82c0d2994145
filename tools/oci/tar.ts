import { createReadStream } from "node:fs";

/** One member of a tar file. */
export interface TarMember {
    /** Without a leading slash; folders without a trailing one. */
    path: string;
    type: "file" | "folder" | "link";
    mode: number;
    /** Target of a link. */
    target?: string;
    /** A file's content, or the path and size of the file on disk that has it. */
    content?: Buffer;
    source?: { path: string; sizeBytes: number };
}

const blockSize = 512;
const typeFlag = { file: "0", folder: "5", link: "2" } as const;

/** The bytes of a tar file (ustar): owner root, time 0, members in the given order, so the same input gives the same bytes. */
export async function* tarBytes(members: TarMember[]): AsyncGenerator<Buffer> {
    for (const member of members) {
        yield header(member);
        if (member.type === "file") {
            yield* content(member);
        }
    }
    yield Buffer.alloc(2 * blockSize);
}

function sizeOf(member: TarMember): number {
    return member.type === "file" ? (member.source?.sizeBytes ?? member.content?.length ?? 0) : 0;
}

async function* content(member: TarMember): AsyncGenerator<Buffer> {
    const size = sizeOf(member);
    let sent = 0;
    if (member.source) {
        for await (const chunk of createReadStream(member.source.path, { highWaterMark: 1 << 20 })) {
            sent += (chunk as Buffer).length;
            yield chunk as Buffer;
        }
    } else if (member.content) {
        sent = member.content.length;
        yield member.content;
    }
    if (sent !== size) {
        throw new Error(`${member.path}: ${sent} bytes instead of ${size}: changed while it was read`);
    }
    yield Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}

function header(member: TarMember): Buffer {
    const block = Buffer.alloc(blockSize);
    const { name, prefix } = splitPath(member.type === "folder" ? `${member.path}/` : member.path);
    block.write(name, 0, 100, "utf8");
    block.write(octal(member.mode, 8), 100);
    block.write(octal(0, 8), 108);
    block.write(octal(0, 8), 116);
    block.write(octal(sizeOf(member), 12), 124);
    block.write(octal(0, 12), 136);
    block.write(" ".repeat(8), 148); // the checksum's own field counts as blanks
    block.write(typeFlag[member.type], 156);
    if (member.target !== undefined) {
        if (Buffer.byteLength(member.target) > 100) {
            throw new Error(`${member.path}: the link's target is too long for a tar file`);
        }
        block.write(member.target, 157, 100, "utf8");
    }
    block.write("ustar\u000000", 257);
    block.write(prefix, 345, 155, "utf8");
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return block;
}

function octal(value: number, width: number): string {
    const digits = value.toString(8).padStart(width - 1, "0");
    if (digits.length >= width) {
        throw new Error(`${value} does not fit into a tar header`);
    }
    return `${digits}\0`;
}

/** A name of more than 100 bytes is split at a slash. */
function splitPath(path: string): { name: string; prefix: string } {
    if (Buffer.byteLength(path) <= 100) {
        return { name: path, prefix: "" };
    }
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
        const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
        if (name !== "" && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) {
            return { name, prefix };
        }
    }
    throw new Error(`${path}: the name is too long for a tar file`);
}
