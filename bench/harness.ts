import { cpus, loadavg } from "node:os";

/** One way to do the work. */
export interface Subject {
    name: string;
    /** Does the work once and returns how long it took, in seconds. Preparation outside of the timing happens in here, too. */
    run(round: number): Promise<number>;
}

/** Seconds of every run, by subject; the position is the round. */
export type Samples = Record<string, number[]>;

/** What is compared, and the goal. */
export interface Question {
    ours: string;
    rival: string;
    /** `atMost`: our time divided by the rival's. `timesFaster`: the rival's time divided by ours, at least. */
    goal?: { atMost: number } | { timesFaster: number };
}

export interface Comparison extends Question {
    /** Median seconds. */
    oursSeconds: number;
    rivalSeconds: number;
    /** Median of the ratios of the pairs: ours / rival, or rival / ours for `timesFaster`. */
    ratio: number;
    /** Smallest and largest of these ratios. */
    range: [number, number];
    n: number;
    /** undefined: no goal. */
    met?: boolean;
}

export interface Report {
    bench: string;
    /** How the figures were taken. */
    how: string[];
    comparisons: Comparison[];
    /** Figures that are not ratios of times: "bytes of state per node". */
    facts?: Record<string, number | string>;
    samples: Samples;
}

/** A B A B …: every round runs all subjects, so that a slow phase of the machine slows all of them. */
export async function interleave(subjects: Subject[], rounds: number, say: (text: string) => void): Promise<Samples> {
    const samples: Samples = Object.fromEntries(subjects.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
        for (const { name, run } of subjects) {
            const seconds = await run(round);
            samples[name].push(seconds);
            say(`round ${round + 1}/${rounds}  ${name}: ${format(seconds)} s`);
        }
    }
    return samples;
}

export function median(values: readonly number[]): number {
    if (values.length === 0) {
        throw new Error("no values, no median");
    }
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of the ratios of pairs: both sides of a pair ran under the same load. */
export function compare(samples: Samples, question: Question): Comparison {
    const [ours, rival] = [samples[question.ours], samples[question.rival]];
    const times = question.goal !== undefined && "timesFaster" in question.goal;
    const ratios = ours.map((seconds, i) => (times ? rival[i] / seconds : seconds / rival[i]));
    const ratio = median(ratios);
    return {
        ...question,
        oursSeconds: median(ours),
        rivalSeconds: median(rival),
        ratio,
        range: [Math.min(...ratios), Math.max(...ratios)],
        n: ratios.length,
        ...(question.goal && { met: isMet(ratio, question.goal) }),
    };
}

function isMet(ratio: number, goal: NonNullable<Question["goal"]>): boolean {
    return "atMost" in goal ? ratio <= goal.atMost : ratio >= goal.timesFaster;
}

/** Runs the work and returns the seconds it took. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
    const began = process.hrtime.bigint();
    await work();
    return Number(process.hrtime.bigint() - began) / 1e9;
}

/** The machine at the start of a bench. On a busy machine the seconds are unreliable, the ratios less so. */
export function machine(): string {
    return `${cpus().length} CPUs, load ${loadavg()[0].toFixed(1)} at the start, Node ${process.versions.node}`;
}

export function renderReport(report: Report): string {
    const rows = report.comparisons.map(c => [
        c.ours,
        format(c.oursSeconds),
        c.rival,
        format(c.rivalSeconds),
        `${format(c.ratio)}${isTimes(c) ? " times faster" : ""}`,
        c.n > 1 ? `${format(c.range[0])} … ${format(c.range[1])}` : "",
        `${c.n}`,
        goalText(c),
    ]);
    const facts = Object.entries(report.facts ?? {}).map(([name, value]) => `  ${name}: ${value}`);
    return [
        `bench/${report.bench}`,
        ...report.how.map(line => `  ${line}`),
        "",
        ...table([["ours", "s", "rival", "s", "ratio", "range", "n", "goal"], ...rows]),
        ...(facts.length > 0 ? ["", ...facts] : []),
        "",
    ].join("\n");
}

function isTimes({ goal }: Question): boolean {
    return goal !== undefined && "timesFaster" in goal;
}

function goalText({ goal, met }: Comparison): string {
    if (goal === undefined) {
        return "";
    }
    const wanted = "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.timesFaster}`;
    return `${wanted} ${met ? "met" : "MISSED"}`;
}

/** Columns as wide as their widest cell. */
export function table(rows: string[][]): string[] {
    const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)));
    return rows.map(row => `  ${row.map((cell, i) => cell.padEnd(widths[i])).join("  ")}`.trimEnd());
}

/** Three significant digits. */
export function format(value: number): string {
    const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
    return value.toFixed(digits);
}
