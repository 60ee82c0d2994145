import type { FleetEvent } from "../../../testing";

/** When a step ran on a machine, in milliseconds. */
export interface Interval {
    node: string;
    begin: number;
    end: number;
}

/** Each step that ran, from its begin to its end. */
export function stepIntervals(events: readonly FleetEvent[]): (Interval & { step: string })[] {
    return events.flatMap((event, i) => {
        if (event.event !== "begin") return [];
        const end = events.slice(i).find(({ node, step, event: kind }) => {
            return kind === "end" && node === event.node && step === event.step;
        });
        const interval = { node: event.node, step: event.step!, begin: event.time };
        return [{ ...interval, end: end?.time ?? Number.POSITIVE_INFINITY }];
    });
}

/** From the first begin to the last end on each machine, by name of the machine. */
export function span(intervals: readonly Interval[]): Map<string, Interval> {
    const spans = new Map<string, Interval>();
    for (const { node, begin, end } of intervals) {
        const known = spans.get(node) ?? { node, begin, end };
        spans.set(node, { node, begin: Math.min(known.begin, begin), end: Math.max(known.end, end) });
    }
    return spans;
}

/** The largest number of intervals at the same moment. */
export function mostAtOnce(intervals: readonly Interval[]): number {
    return Math.max(
        0,
        ...intervals.map(({ begin }) => intervals.filter(each => each.begin <= begin && begin < each.end).length),
    );
}
