import { StringDecoder } from "node:string_decoder";
import { redact } from "../../../steps/redact";

/** A longer line is passed on in pieces: a program may print megabytes without a line break. */
const longest = 8192;
/** How much of the end is kept, for errors. */
const tailCharacters = 32768;

/** Turns chunks of output into lines without secrets, passes them on, and keeps the end. */
export class Lines {
    private readonly decoder = new StringDecoder("utf8");
    private rest = "";
    private kept = "";

    constructor(
        private readonly onLine: (line: string) => void,
        private readonly secrets: readonly string[] = [],
    ) {}

    add(chunk: Buffer): void {
        this.take(this.decoder.write(chunk));
    }

    /** Passes on the last line if it has no line break. */
    end(): void {
        this.take(this.decoder.end());
        if (this.rest !== "") this.pass(this.rest);
        this.rest = "";
    }

    /** The last lines. */
    tail(count: number): string {
        return this.kept.trimEnd().split("\n").slice(-count).join("\n");
    }

    private take(text: string): void {
        const lines = (this.rest + text).split(/\r?\n/);
        this.rest = lines.pop()!;
        for (const line of lines) this.pass(line);
        while (this.rest.length > longest) {
            this.pass(this.rest.slice(0, longest));
            this.rest = this.rest.slice(longest);
        }
    }

    private pass(line: string): void {
        const clean = redact(line, this.secrets);
        this.kept = `${this.kept}${clean}\n`.slice(-tailCharacters);
        this.onLine(clean);
    }
}
