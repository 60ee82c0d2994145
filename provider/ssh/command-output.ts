import { randomBytes } from "node:crypto";
import { StringDecoder } from "node:string_decoder";

/**
 * Printed before each command's own output: what the start file of a login shell prints comes before it, and is no answer. Such a text may name this package, and
 * does not know this number.
 */
export const outputMark = `pulumi-nfv:${randomBytes(6).toString("hex")}:`;

/** More than any expected answer: endless output must not fill this process's memory. */
export const maximumBytes = 64 * 1024 * 1024;

/** How much is kept, from the end, of standard error and of output that is passed on as it arrives. */
export const tailBytes = 1024 * 1024;

/** Takes away what comes before the mark. */
export class BeforeMark {
    isOver = false;
    private seen = Buffer.alloc(0);

    constructor(private readonly tooMuch: () => void) {}

    get text(): string {
        return this.seen.toString();
    }

    pass(chunk: Buffer): Buffer {
        if (this.isOver) return chunk;
        const seen = Buffer.concat([this.seen, chunk]);
        const at = seen.indexOf(outputMark);
        if (at >= 0) {
            this.isOver = true;
            return seen.subarray(at + outputMark.length);
        }
        this.seen = seen;
        if (seen.length > tailBytes) this.tooMuch();
        return Buffer.alloc(0);
    }
}

/** What a command prints. */
export class Collector {
    private chunks: Buffer[] = [];
    private bytesKept = 0;
    private readonly decoder = new StringDecoder("utf8");

    /**
     * `tail`: the maximum to keep, from the end. Without it everything is kept, and `tooMuch` is called if that is
     * impossible.
     */
    constructor(
        private readonly onText: (text: string) => void,
        private readonly tail: number | undefined,
        private readonly tooMuch: () => void,
        private readonly longest = maximumBytes,
    ) {}

    add(chunk: Buffer): void {
        this.chunks.push(chunk);
        this.bytesKept += chunk.length;
        if (this.tail !== undefined && this.bytesKept > 2 * this.tail) {
            this.chunks = [Buffer.concat(this.chunks).subarray(-this.tail)];
            this.bytesKept = this.tail;
        } else if (this.bytesKept > this.longest) {
            this.chunks = [];
            this.bytesKept = 0;
            this.tooMuch();
        }
        this.tell(this.decoder.write(chunk));
    }

    end(): Buffer {
        this.tell(this.decoder.end());
        return this.bytes();
    }

    bytes(): Buffer {
        return Buffer.concat(this.chunks);
    }

    private tell(text: string): void {
        if (text !== "") {
            this.onText(text);
        }
    }
}
