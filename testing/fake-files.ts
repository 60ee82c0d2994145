import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import {
    readFileScript,
    transferExitCodes,
    uploadAppendScript,
    uploadBeginScript,
    uploadFinishScript,
    writeFileScript,
} from "../provider/ssh/scripts";
import type { FakeAnswer } from "./types";

export interface FakeFile {
    /** undefined: too large to keep. */
    content?: Buffer;
    size: number;
    sha256: string;
    mode: number;
    owner: string;
}

interface Part {
    chunks?: Buffer[];
    size: number;
    hash: Hash;
    mode: number;
    owner: string;
}

/** The files of a fake node, and the effect of provider/ssh's scripts on them. */
export class FakeFiles {
    private readonly files = new Map<string, FakeFile>();
    private readonly parts = new Map<string, Part>();

    constructor(private readonly keepBytes: number) {}

    get(path: string): FakeFile | undefined {
        return this.files.get(path);
    }

    /** Content as text; undefined if there is no such file. */
    text(path: string): string | undefined {
        return this.files.get(path)?.content?.toString();
    }

    paths(): string[] {
        return [...this.files.keys()].sort();
    }

    /** A folder exists if it contains a file. */
    has(path: string, asFolder = false): boolean {
        return asFolder ? this.paths().some(each => each.startsWith(`${path}/`)) : this.files.has(path);
    }

    put(path: string, content: string | Buffer, mode = 0o644, owner = "root:root"): void {
        this.name(path, this.newPart(mode, owner), Buffer.from(content));
    }

    remove(path: string): void {
        this.files.delete(path);
    }

    /** Answers a command of file transfer; undefined for any other command. */
    answer(argv: readonly string[]): ((stdin: Readable) => Promise<FakeAnswer>) | undefined {
        const action = argv[0] === "sh" && argv[1] === "-c" ? this.actions[argv[3]] : undefined;
        return action && (stdin => action(stdin, argv.slice(4)));
    }

    private readonly actions: Record<string, (stdin: Readable, args: string[]) => Promise<FakeAnswer>> = {
        [writeFileScript.name]: async (stdin, [path, mode, owner, size]) => {
            const part = this.newPart(Number.parseInt(mode, 8), owner);
            await this.fill(part, stdin);
            if (part.size !== Number(size)) {
                return { code: transferExitCodes.incomplete };
            }
            this.name(path, part);
            return {};
        },
        [readFileScript.name]: async (_stdin, [path]) => {
            const file = this.files.get(path);
            return file === undefined ? { code: transferExitCodes.noSuchFile } : { stdout: file.content ?? "" };
        },
        [uploadBeginScript.name]: async (_stdin, [path, partPath, mode, owner, size, sha256]) => {
            const file = this.files.get(path);
            if (file !== undefined && file.size === Number(size) && file.sha256 === sha256) {
                Object.assign(file, { mode: Number.parseInt(mode, 8), owner });
                return { stdout: "complete\n" };
            }
            const part = this.parts.get(partPath) ?? this.newPart(Number.parseInt(mode, 8), owner);
            this.parts.set(partPath, part);
            return { stdout: `${part.size}\n` };
        },
        [uploadAppendScript.name]: async (stdin, [partPath, offset]) => {
            let part = this.parts.get(partPath)!;
            if (part.size !== Number(offset)) {
                part = this.newPart(part.mode, part.owner);
                this.parts.set(partPath, part);
            }
            await this.fill(part, stdin);
            return {};
        },
        [uploadFinishScript.name]: async (_stdin, [path, partPath, size, sha256]) => {
            const part = this.parts.get(partPath);
            if (part?.size !== Number(size)) {
                return { code: transferExitCodes.incomplete };
            }
            this.parts.delete(partPath);
            if (part.hash.copy().digest("hex") !== sha256) {
                return { code: transferExitCodes.checksumDiffers };
            }
            this.name(path, part);
            return {};
        },
    };

    private newPart(mode: number, owner: string): Part {
        return { chunks: [], size: 0, hash: createHash("sha256"), mode, owner };
    }

    private async fill(part: Part, stdin: Readable): Promise<void> {
        for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
            this.append(part, chunk as Buffer);
        }
    }

    private append(part: Part, chunk: Buffer): void {
        part.size += chunk.length;
        part.hash.update(chunk);
        part.chunks = part.size > this.keepBytes ? undefined : part.chunks && [...part.chunks, chunk];
    }

    private name(path: string, part: Part, content?: Buffer): void {
        if (content !== undefined) {
            this.append(part, content);
        }
        this.files.set(path, {
            content: part.chunks && Buffer.concat(part.chunks),
            size: part.size,
            sha256: part.hash.copy().digest("hex"),
            mode: part.mode,
            owner: part.owner,
        });
    }
}
