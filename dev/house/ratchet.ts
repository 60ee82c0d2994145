import { basename } from "node:path";
import { namesOfOthers, privateWords } from "./private-words";
import { isSource, isTest, type TextFile } from "./read-files";
import { type Words, wordsOf } from "./read-text";

/** A count of the ratchet: it may fall, and never rise again. */
export interface Count {
    /** Also of its row in allowed.json. */
    name: string;
    /** The right way in place of it. */
    use: string;
    /** "FILE:LINE" of each. */
    source: readonly string[];
    tests: readonly string[];
}

/** How often something occurs, in the source and in tests. */
export type Allowed = Readonly<Record<string, readonly [source: number, tests: number]>>;

const languages = /\.(?:m?[jt]s|sh|py)$/;
/** Recorded output of other programs, and the tests of this file, which need the words. */
const exempt = /\/fixtures\/|^test\/unit\/dev\/house\//;

/** Comments that make riddles: style.md. */
const riddle = /^(?:One that|Those that|What is|Who)\b/;

/** Everything that the ratchet counts. Pure. */
export function countsOf(files: readonly TextFile[]): Count[] {
    const read = files
        .filter(({ path }) => (isSource(path) || isTest(path)) && languages.test(path) && !exempt.test(path))
        .map(({ path, text }) => ({ path, words: wordsOf(path, text.replace(namesOfOthers, "")) }));
    const count = (name: string, use: string, linesOf: (words: Words) => number[]): Count => {
        const placesIn = (isMeant: (path: string) => boolean) =>
            read
                .filter(({ path }) => isMeant(path))
                .flatMap(({ path, words }) => linesOf(words).map(line => `${path}:${line}`));
        return { name, use, source: placesIn(isSource), tests: placesIn(isTest) };
    };
    return [
        ...privateWords.map(({ word, use, pattern, namesOnly }) =>
            count(word, use, words => linesWith(pattern, namesOnly ? words.names : words.all)),
        ),
        count(
            "riddles",
            'comments that name the thing, and do not begin with "One that", "Those that", "What is", "Who"',
            ({ comments }) => comments.filter(({ text }) => riddle.test(text)).map(({ line }) => line),
        ),
        importsOf("Node", files),
        importsOf("Host", files),
    ];
}

function linesWith(pattern: RegExp, text: string): number[] {
    if (text.search(pattern) < 0) return [];
    return text.split("\n").flatMap((line, i) => (line.match(pattern) ?? []).map(() => i + 1));
}

/** The modules that the module of a resource type imports. It is found by its name, in whichever folder it lies. */
function importsOf(type: "Node" | "Host", files: readonly TextFile[]): Count {
    const name = type.toLowerCase();
    const isModule = ({ path, text }: TextFile) =>
        isSource(path) && basename(path) === `${name}.ts` && text.includes(`export const ${name}: ResourceType<`);
    const imports = files.filter(isModule).flatMap(({ path, text }) => {
        const lines = text.split("\n");
        return lines.flatMap((line, i) => (/^(?:import|\}) .*from "|^import "/.test(line) ? [`${path}:${i + 1}`] : []));
    });
    return { name: `imports of ${type}'s module`, use: "fewer concerns in one module", source: imports, tests: [] };
}

/** What lint says of counts that differ from the allowed ones; empty: nothing is wrong. `newestFirst` sorts places. Pure. */
export function problemsOf(
    counts: readonly Count[],
    allowed: Allowed,
    newestFirst: (places: readonly string[]) => readonly string[] = places => places,
): string[] {
    const problems = counts.flatMap(({ name, use, source, tests }) => {
        const [inSource, inTests] = allowed[name] ?? [0, 0];
        return [
            ...riseOf(`${name}, in the source`, use, newestFirst(source), inSource),
            ...riseOf(`${name}, in tests`, use, newestFirst(tests), inTests),
        ];
    });
    const low = fallen(counts, allowed);
    if (low.length === 0) return problems;
    const say = `less than allowed, so that it may not rise again: npm run house -- --lower writes it down: ${low.join("; ")}`;
    return [...problems, say];
}

/** "word (5 / 2 → 4 / 2)" */
function fallen(counts: readonly Count[], allowed: Allowed): string[] {
    return Object.entries(allowed).flatMap(([name, [inSource, inTests]]) => {
        const { source = [], tests = [] } = counts.find(count => count.name === name) ?? {};
        const isLess = source.length < inSource || tests.length < inTests;
        const isGone = counts.every(count => count.name !== name);
        if (!isLess && !isGone) return [];
        return [`${name} (${inSource} / ${inTests} → ${isGone ? "no row" : `${source.length} / ${tests.length}`})`];
    });
}

function riseOf(what: string, use: string, places: readonly string[], allowed: number): string[] {
    if (places.length <= allowed) return [];
    const examples = places.slice(0, 5).map(place => `\n    ${place}`);
    return [`${what}: ${places.length}, allowed are ${allowed}. Use: ${use}${examples.join("")}`];
}

/** The allowed numbers, lowered to what was found. A row without a number gets the number found. Pure. */
export function lowered(counts: readonly Count[], allowed: Allowed): Allowed {
    return Object.fromEntries(
        counts.map(({ name, source, tests }) => {
            const [inSource, inTests] = allowed[name] ?? [source.length, tests.length];
            return [name, [Math.min(source.length, inSource), Math.min(tests.length, inTests)] as const];
        }),
    );
}
