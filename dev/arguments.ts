import { type Level, levels } from "./levels";

/** What the words after `npm test --` select. */
export interface TestRun {
    levels: Level[];
    /** Levels that only `full` runs, and this run does not. */
    leftOut: Level[];
    /** Run the long stories too: the files that end with `.full.test.ts`. */
    full: boolean;
    grep?: string;
}

/** Reads the words behind `npm test --`: `full`, names of levels, `--grep TEXT`. An unknown word is an error. */
export function readArguments(argv: string[]): TestRun {
    const at = argv.indexOf("--grep");
    const grep = at < 0 ? undefined : argv[at + 1];
    const words = argv.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
    const names = words.filter(word => word !== "full");
    const unknown = names.find(name => !levels.some(level => level.name === name));
    if (unknown !== undefined) {
        throw new Error(`no test level "${unknown}"; there are: full, ${levels.map(level => level.name).join(", ")}`);
    }
    const full = words.includes("full");
    const usual = levels.filter(level => !level.onRequest && (full || !level.fullOnly));
    return {
        levels: names.length ? levels.filter(level => names.includes(level.name)) : usual,
        leftOut: names.length ? [] : levels.filter(level => level.fullOnly && !full),
        full,
        grep,
    };
}

const longStory = /\.full\.test\.[jt]s$/;

/** Splits test files into those that this run takes and those that only `npm test -- full` takes. */
export function chooseFiles(files: string[], full: boolean): { run: string[]; onlyFull: string[] } {
    return {
        run: files.filter(file => full || !longStory.test(file)),
        onlyFull: files.filter(file => !full && longStory.test(file)),
    };
}
