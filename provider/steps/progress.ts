import { redact } from "./redact";
import type { ProgressListener } from "./types";

const lineWidth = 80;

/** The status line of one step: after two seconds its age and last line of output, updated at most once a second. */
export class StepProgress {
    private readonly began = performance.now();
    private readonly timer: NodeJS.Timeout;
    private unfinished = "";
    private last = "";
    private shown = "";

    constructor(
        private readonly label: string,
        private readonly report: ProgressListener,
        private readonly secrets: readonly string[],
    ) {
        this.timer = setInterval(() => this.show(), 1000);
        this.timer.unref();
    }

    output(text: string): void {
        const lines = (this.unfinished + text).split("\n");
        this.unfinished = lines.pop()!.slice(-10_000);
        this.last =
            lines
                .filter(line => line.trim() !== "")
                .pop()
                ?.trim() ?? this.last;
    }

    end(): void {
        clearInterval(this.timer);
    }

    private show(): void {
        const seconds = Math.round((performance.now() - this.began) / 1000);
        if (seconds < 2) return;
        const line = redact(this.last, this.secrets).slice(0, lineWidth);
        const text = `${this.label} (${seconds} s)${line ? `: ${line}` : ""}`;
        if (text !== this.shown) this.report(text);
        this.shown = text;
    }
}
