import { parseArgs } from "node:util";
import { editDistance } from "../provider/edit-distance";
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

/** What the words after `npm start --` ask for. */
export interface StartRun {
    /** Undefined: as many workers as there are. */
    workers?: number;
    help: boolean;
}

const startOptions = { workers: { type: "string" }, help: { type: "boolean", short: "h" } } as const;
const startOptionNames = Object.keys(startOptions);

/** Reads the words behind `npm start --`: `--workers N`, `--help`. Anything else is an error that names the options. */
export function readStartArguments(argv: string[]): StartRun {
    const unknown = argv
        .filter(word => word.startsWith("--"))
        .map(word => word.slice(2).split("=")[0]!)
        .find(name => !startOptionNames.includes(name));
    const options = `there are: ${startOptionNames.map(name => `--${name}`).join(", ")}`;
    if (unknown !== undefined) {
        const near = startOptionNames.find(name => editDistance(unknown, name) <= 2);
        throw new Error(`there is no option --${unknown}; ${near === undefined ? options : `did you mean --${near}?`}`);
    }
    const { values, positionals } = parseArgs({ args: argv, options: startOptions, allowPositionals: true });
    if (positionals.length > 0) throw new Error(`"${positionals[0]}" means nothing here; ${options}`);
    return { workers: workersAsked(values.workers), help: values.help ?? false };
}

function workersAsked(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const count = Number(text);
    if (!Number.isInteger(count) || count < 1 || count > 9)
        throw new Error(`--workers ${text}: a whole number from 1 to 9 is expected`);
    return count;
}
