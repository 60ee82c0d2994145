import { titleOf } from "../../provider/adapters/titles";
import { keysOf, reachedFrom } from "./edges-between";
import type { Row, Span } from "./spans";
import { groupOf, type Timeline } from "./timeline";

/** An act as part of a chain in which each one waited for the one before it. */
export interface Link {
    span: Span;
    from: number;
    until: number;
}

/** Why something did not go on before: part of its wait, as long as the act ran that it waited for. */
export interface Wait {
    row: string;
    from: number;
    until: number;
    for: Span;
    /** In words. */
    reason: string;
}

/** Waits for the same act, for the same reason. */
export interface WaitGroup {
    rows: string[];
    from: number;
    until: number;
    for: Span;
    reason: string;
}

/** Those that waited for the same act together, the longest first. Pure. */
export function waitGroups(waits: readonly Wait[]): WaitGroup[] {
    const groups: WaitGroup[] = [];
    const bySpan = new Map<Span, WaitGroup[]>();
    for (const { row, from, until, for: other, reason } of waits) {
        const same = bySpan.get(other) ?? [];
        bySpan.set(other, same);
        const known = same.find(group => group.reason === reason);
        if (known === undefined) {
            const group = { rows: [row], from, until, for: other, reason };
            groups.push(group);
            same.push(group);
        } else {
            known.rows.push(row);
            Object.assign(known, { from: Math.min(known.from, from), until: Math.max(known.until, until) });
        }
    }
    return groups;
}

/** An act's place in the order of its operation: what came before it. */
export interface Before {
    /** The last of those that it must wait for. */
    last?: Span;
    /** In words, such as "another control-plane node was interrupted". */
    reason?: string;
}

/** The engine tells whole seconds. */
const tolerance = 1;

/** Of one wait: in a pool of hundreds, those that came long before say nothing. */
const mostParts = 8;

interface Known {
    span: Span;
    row: Row;
    group: string | undefined;
    /** Its names in the table of edges. */
    keys: readonly string[];
    /** All that it waits for, by these names. */
    after: ReadonlySet<string>;
    title: string | undefined;
}

/**
 * What each act waited for. The engine does not tell dependencies: they follow from the edges of recorded programs (edges.ts) and, of those that an act
 * waits for, the last one to end is named. Pure.
 */
export class Waits {
    private readonly known: Known[];
    private readonly bySpan = new Map<Span, Known>();
    private readonly found = new Map<Span, Before>();

    constructor({ rows, plan }: Timeline) {
        this.known = rows.flatMap(row => {
            const group = groupOf(row, plan);
            return row.spans.map(span => knownOf(span, row, group));
        });
        for (const each of this.known) this.bySpan.set(each.span, each);
    }

    /** What ended last of all that this act must wait for. */
    before(span: Span): Before {
        const known = this.found.get(span) ?? this.findBefore(span);
        this.found.set(span, known);
        return known;
    }

    private findBefore(span: Span): Before {
        const own = this.bySpan.get(span);
        if (own === undefined) return {};
        const others = this.known.filter(each => each.span !== span);
        const last = latest(others.filter(each => this.isBefore(each, own))) ?? this.justBefore(own, others);
        if (last === undefined) return {};
        const reason = last.row === own.row ? `its ${last.span.resource} was acted on` : last.title;
        return { last: last.span, ...(reason && { reason }) };
    }

    /** The act and those that it waited for, back to the first one: from when to when each of them was what held the others up. */
    *back(last: Span): Generator<Link> {
        const seen = new Set<Span>();
        let next: Span | undefined = last;
        let until = last.end;
        while (next !== undefined && !seen.has(next)) {
            const span: Span = next;
            seen.add(span);
            const latest = until;
            const turn = span.bars.filter(({ kind, end }) => kind === "wait" && end <= latest).at(-1);
            const other = turn && this.turnBefore(span, turn.end);
            const before: Span | undefined = other !== undefined && !seen.has(other) ? other : this.before(span).last;
            const from = before !== undefined && before === other ? turn!.end : span.begin;
            yield { span, from: Math.min(from, until), until };
            next = before;
            // What ended while this one was under way counts until this one goes on.
            until = Math.min(before?.end ?? 0, from);
        }
    }

    /** For a bar in which a node waits for its turn: the node of its group that ended then. */
    turnBefore(span: Span, until: number): Span | undefined {
        const own = this.bySpan.get(span);
        if (own === undefined) return undefined;
        const others = this.known.filter(
            each =>
                each.row !== own.row &&
                each.group === own.group &&
                each.row.cluster === own.row.cluster &&
                each.span.resource === span.resource &&
                Math.abs(each.span.end - until) <= tolerance,
        );
        return latest(others)?.span;
    }

    /** All that lasted a second or longer, the longest first. */
    all(): Wait[] {
        return this.known
            .flatMap(({ span, row }) => [...this.turns(span, row), ...this.begins(span, row)])
            .sort((a, b) => b.until - b.from - (a.until - a.from));
    }

    private turns(span: Span, row: Row): Wait[] {
        return span.bars.flatMap(({ kind, begin, end, title }) => {
            const other = kind === "wait" ? this.turnBefore(span, end) : undefined;
            if (other === undefined) return [];
            const reason = title.replace(/^waits: /, "");
            const isTurn = (each: Span) => each.resource === span.resource && this.groupOf(each) === this.groupOf(span);
            return this.parts({ row: row.key, from: begin, until: end, for: other, reason }, isTurn);
        });
    }

    private begins(span: Span, row: Row): Wait[] {
        const { last, reason } = this.before(span);
        if (last === undefined || last.row === row.key || !row.isNode) return [];
        const earlier = row.spans.filter(each => each !== span && each.end <= span.begin + tolerance);
        const from = Math.max(0, ...earlier.map(({ end }) => end));
        const until = span.begin;
        // What ended long before did not hold it up.
        if (until - from < 1 || until - last.end > 2 * tolerance) return [];
        return this.parts({ row: row.key, from, until, for: last, reason: reason ?? "" }, () => false);
    }

    /** What ended last ran perhaps for a part of the time only: before that, what that one waited for held both up. `hasReason`: the same holds of an earlier act. */
    private parts(whole: Wait, hasReason: (span: Span) => boolean): Wait[] {
        const parts: Wait[] = [];
        for (const { span, from, until } of this.back(whole.for)) {
            if (until <= whole.from || span.row === whole.row || parts.length === mostParts) break;
            const isLast = span === whole.for;
            const reason = isLast || hasReason(span) ? whole.reason : (this.bySpan.get(span)?.title ?? "");
            const part = { from: Math.max(from, whole.from), until: isLast ? whole.until : until };
            if (part.until - part.from >= 1) parts.push({ row: whole.row, ...part, for: span, reason });
        }
        return parts;
    }

    private groupOf(span: Span): string | undefined {
        return this.bySpan.get(span)?.group;
    }

    /** For resources of which no edge is known, such as those of a network function: what ended when they began. */
    private justBefore({ span, keys }: Known, others: readonly Known[]): Known | undefined {
        if (keys.length > 0) return undefined;
        return latest(others.filter(each => each.span.end <= span.begin && span.begin - each.span.end <= tolerance));
    }

    private isBefore(other: Known, own: Known): boolean {
        if (other.span.end > own.span.begin + tolerance || other.span.begin > own.span.begin) return false;
        if (other.row === own.row) return true;
        if (other.span.begin === own.span.begin && other.span.end > own.span.begin) return false;
        return follows(own, other);
    }
}

function latest(spans: readonly Known[]): Known | undefined {
    return spans.reduce<Known | undefined>(
        (best, each) => (best === undefined || each.span.end > best.span.end ? each : best),
        undefined,
    );
}

function knownOf(span: Span, row: Row, group: string | undefined): Known {
    const type = span.resource.split(":").at(-1)!;
    const role = group === undefined ? undefined : group === "controlPlane" ? "controlPlane" : "worker";
    const title = span.act === "read" ? undefined : titleOf(type, span.act, role);
    const keys = keysOf(type, role);
    return { span, row, group, keys, after: reachedFrom(keys), title };
}

/** Whether the one waits for acts of the other on another machine. Pulumi's engine deletes after everything else, in the reverse order. */
function follows(own: Known, other: Known): boolean {
    if (own.span.act === "read" || other.span.act === "read") return false;
    const [goes, otherGoes] = [own, other].map(({ span }) => span.act === "delete");
    if (goes !== otherGoes) return goes === true;
    const [after, before] = goes ? [other.after, own.keys] : [own.after, other.keys];
    return before.some(key => after.has(key));
}
