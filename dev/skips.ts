import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Reason → number of tests that were skipped for it. */
export type Skips = Record<string, number>;

/** What was skipped: a test, or all tests below a suite. */
export interface SkipNote {
    /** Full title. */
    title: string;
    isSuite: boolean;
    reason: string;
}

/** Mocha passes no reason on to its reporter, and files that run side by side are in processes of their own: notes go by a file. */
const notesFile = () => process.env["NFV_SUMMARY"] && `${process.env["NFV_SUMMARY"]}.skips`;

export function noteSkip(note: SkipNote): void {
    const file = notesFile();
    if (file) appendFileSync(file, `${JSON.stringify(note)}\n`);
}

export function readNotes(): SkipNote[] {
    const file = notesFile();
    if (!file || !existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    return lines.map(line => JSON.parse(line) as SkipNote);
}

/** Counts skipped tests, given by their full titles. A note of the test itself counts before one of its suite. */
export function countSkips(titles: readonly string[], notes: readonly SkipNote[]): Skips {
    const skips: Skips = {};
    const nearest = [...notes].sort((a, b) => b.title.length - a.title.length);
    for (const title of titles) {
        const isMeant = (note: SkipNote) => (note.isSuite ? title.startsWith(`${note.title} `) : title === note.title);
        const { reason } = nearest.find(isMeant) ?? { reason: "no reason was given" };
        skips[reason] = (skips[reason] ?? 0) + 1;
    }
    return skips;
}

export function addSkips(total: Skips, more: Skips): void {
    for (const [reason, count] of Object.entries(more)) total[reason] = (total[reason] ?? 0) + count;
}

/** For the end of a run: a line for each reason, the most frequent one first. */
export function skipLines(skips: Skips): string[] {
    const reasons = Object.entries(skips).sort(([, a], [, b]) => b - a);
    return reasons.map(([reason, count]) => `  ${count} ${count === 1 ? "test" : "tests"}, as ${reason}`);
}
