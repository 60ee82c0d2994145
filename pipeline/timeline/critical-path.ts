import type { Span } from "./spans";
import { spansIn, type Timeline } from "./timeline";
import { Waits } from "./waits";

/** A part of the chain that decided how long the run took. */
export interface Link {
    span: Span;
    from: number;
    until: number;
}

/**
 * The chain of acts that decided how long the run took, the first one first: from the act that ended last, back by what each one waited for. The time before it began
 * is not part of it. Pure.
 */
export function criticalPath(timeline: Timeline, waits = new Waits(timeline)): Link[] {
    const links: Link[] = [];
    const seen = new Set<Span>();
    let next = lastOf(spansIn(timeline));
    let until = next?.end ?? 0;
    while (next !== undefined && !seen.has(next)) {
        const span: Span = next;
        seen.add(span);
        const turn = span.bars.filter(({ kind, end }) => kind === "wait" && end <= until).at(-1);
        const other = turn && waits.turnBefore(span, turn.end);
        const before = other !== undefined && !seen.has(other) ? other : waits.before(span).last;
        const from = before !== undefined && before === other ? turn!.end : span.begin;
        links.unshift({ span, from: Math.min(from, until), until });
        next = before;
        // What ended while this one was under way counts until this one goes on.
        until = Math.min(before?.end ?? 0, from);
    }
    return links;
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
