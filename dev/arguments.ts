import { parseArgs } from "node:util";
import { editDistance } from "../provider/common/edit-distance";
import type { Choice } from "./choose-files";
import { type Level, levels } from "./levels";
import { stories } from "./stories";

/** What the words after `npm test --` select. */
export interface TestRun extends Choice {
    levels: Level[];
    /** Levels that only `full` runs, and this run does not. */
    leftOut: Level[];
    /** Print the stories, or those that the other words choose, and when each last passed; run nothing. */
    list: boolean;
    grep?: string;
}

const testOptions = { grep: { type: "string" }, since: { type: "string" }, list: { type: "boolean" } } as const;

/** Reads the words behind `npm test --`: `full`, names of levels and of stories, `--grep TEXT`, `--since COMMIT`, `--list`. */
export function readArguments(argv: string[]): TestRun {
    refuseUnknown(argv, Object.keys(testOptions));
    const { values, positionals } = parseArgs({ args: argv, options: testOptions, allowPositionals: true });
    const words = positionals.filter(word => word !== "full");
    const levelNames = words.filter(word => levels.some(level => level.name === word));
    const named = words.filter(word => !levelNames.includes(word)).map(storyNamed);
    if (levelNames.length > 0 && named.length > 0)
        throw new Error(`"${levelNames[0]}" is a level, "${named[0]}" a story: name only levels or only stories`);
    const full = positionals.includes("full") || named.length > 0;
    if (values.since !== undefined && !full)
        throw new Error("--since chooses among the stories of full: full --since COMMIT");
    if (values.since !== undefined && named.length > 0)
        throw new Error(`--since chooses the stories itself, and "${named[0]}" is one: give only one of both`);
    const ofStories = levels.filter(level => named.some(story => story.startsWith(`${level.name}/`)));
    const usual = levels.filter(level => !level.onRequest && (full || !level.fullOnly));
    const chosen = levels.filter(level => levelNames.includes(level.name) || ofStories.includes(level));
    const all = words.length === 0;
    return {
        levels: all ? usual.filter(level => values.since === undefined || !level.command) : chosen,
        leftOut: all ? levels.filter(level => level.fullOnly && !full) : [],
        full,
        named,
        list: values.list ?? false,
        ...(values.since !== undefined && { since: values.since }),
        ...(values.grep !== undefined && { grep: values.grep }),
    };
}

/** A story by its name or the last part of it. */
function storyNamed(word: string): string {
    const names = Object.keys(stories);
    const found = names.filter(name => name === word || name.endsWith(`/${word}`));
    if (found.length === 1) return found[0]!;
    if (found.length > 1) throw new Error(`"${word}" names several stories: ${found.join(", ")}`);
    const near = names.find(name => editDistance(word, name.split("/").at(-1)!) <= 2);
    const guess = near === undefined ? "npm test -- --list prints the stories" : `did you mean ${near}?`;
    const known = levels.map(level => level.name).join(", ");
    throw new Error(`no test level and no story "${word}"; levels are: full, ${known}; ${guess}`);
}

/** What the words after `npm start --` ask for. */
export interface StartRun {
    /** Undefined: as many workers as there are. */
    workers?: number;
    help: boolean;
}

const startOptions = { workers: { type: "string" }, help: { type: "boolean", short: "h" } } as const;

/** Reads the words behind `npm start --`: `--workers N`, `--help`. Anything else is an error that names the options. */
export function readStartArguments(argv: string[]): StartRun {
    const options = refuseUnknown(argv, Object.keys(startOptions));
    const { values, positionals } = parseArgs({ args: argv, options: startOptions, allowPositionals: true });
    if (positionals.length > 0) throw new Error(`"${positionals[0]}" means nothing here; ${options}`);
    return { workers: workersAsked(values.workers), help: values.help ?? false };
}

/** @returns which options there are, for other errors. @throws for an unknown one, with the one that was meant */
function refuseUnknown(argv: string[], names: string[]): string {
    const unknown = argv
        .filter(word => word.startsWith("--"))
        .map(word => word.slice(2).split("=")[0]!)
        .find(name => !names.includes(name));
    const options = `there are: ${names.map(name => `--${name}`).join(", ")}`;
    if (unknown === undefined) return options;
    const near = names.find(name => editDistance(unknown, name) <= 2);
    throw new Error(`there is no option --${unknown}; ${near === undefined ? options : `did you mean --${near}?`}`);
}

function workersAsked(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const count = Number(text);
    if (!Number.isInteger(count) || count < 1 || count > 9)
        throw new Error(`--workers ${text}: a whole number from 1 to 9 is expected`);
    return count;
}
