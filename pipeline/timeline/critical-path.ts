import type { Span } from "./spans";
import { spansIn, type Timeline } from "./timeline";
import { type Link, Waits } from "./waits";

/**
 * The chain of acts that decided how long the run took, the first one first: from the act that ended last, back by what each one waited for. The time before it began
 * is not part of it. Pure.
 */
export function criticalPath(timeline: Timeline, waits = new Waits(timeline)): Link[] {
    const last = lastOf(spansIn(timeline));
    return last === undefined ? [] : [...waits.back(last)].reverse();
}

/** Which one ended last; of several the longest. */
function lastOf(spans: readonly Span[]): Span | undefined {
    const length = ({ begin, end }: Span) => end - begin;
    return spans.reduce<Span | undefined>(
        (best, span) =>
            best === undefined || span.end > best.end || (span.end === best.end && length(span) > length(best))
                ? span
                : best,
        undefined,
    );
}
