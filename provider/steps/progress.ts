import { redact } from "./redact";
import type { ProgressListener } from "./types";

const lineWidth = 80;

/*
 * Where no terminal is, as in a pipeline, Pulumi writes a line for each report. So reports come often only as long as somebody may be watching for them.
 */

/** Whether an upload's share is worth a line: after ten more percent, or five seconds later. */
export function paceOfUpload(now: () => number = () => performance.now()): (percent: number) => boolean {
    let [shown, at] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    return percent => {
        if (percent - shown < (percent === 100 ? 1 : 10) && (percent === shown || now() - at < 5000)) return false;
        [shown, at] = [percent, now()];
        return true;
    };
}

/** After how many seconds without another line of output a step of this age is shown again. */
export const paceAt = (seconds: number): number => (seconds < 10 ? 1 : seconds < 60 ? 5 : 15);

/** The status line of one step: after two seconds its age and last line of output, updated at most once a second, and ever more rarely where nothing changes. */
export class StepProgress {
    private readonly began = performance.now();
    private readonly timer: NodeJS.Timeout;
    private unfinished = "";
    private last = "";
    private shown?: { line: string; seconds: number };

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
        const { shown } = this;
        if (shown?.line === line && seconds - shown.seconds < paceAt(seconds)) return;
        this.report(`${this.label} (${seconds} s)${line ? `: ${line}` : ""}`);
        this.shown = { line, seconds };
    }
}
