import { dirname, join } from "node:path";
import { type Places, placesOfSteps, placesOfTypes } from "./places";
import { countsOf } from "./ratchet";
import { isSource, isTest, type TextFile } from "./read-files";

/** A line of the table. */
export interface Measure {
    name: string;
    value: string;
}

/** `dates`: when commits were made, in seconds. */
export function measuresOf(files: readonly TextFile[], dates: ReadonlyMap<string, number>): Measure[] {
    const source = files.filter(({ path }) => isSource(path));
    const tests = files.filter(({ path }) => isTest(path));
    const counts = countsOf(files);
    const own = counts.filter(({ name }) => !name.startsWith("imports") && name !== "riddles");
    const total = (of: "source" | "tests") => own.reduce((sum, count) => sum + count[of].length, 0);
    return [
        ...largestFolders(source),
        { name: "files over 400 / 200 lines", value: `${longerThan(source, 400)} / ${longerThan(source, 200)}` },
        { name: "lines of source / of tests", value: `${linesIn(source)} / ${linesIn(tests)}` },
        { name: "places of a resource type: most, mean", value: placesText(placesOfTypes(files)) },
        { name: "places of a step: most, mean", value: placesText(placesOfSteps(files)) },
        { name: "session parts beside connections, clients, queues", value: `${sessionParts(source).length}` },
        ...folderPairs(source),
        ...storyMeasures(files, dates),
        { name: "private words in source / tests", value: `${total("source")} / ${total("tests")}` },
        ...counts.map(({ name, source, tests }) => ({
            name: own.some(each => each.name === name) ? `- "${name}"` : name,
            value: `${source.length} / ${tests.length}`,
        })),
    ];
}

const lines = (text: string) => text.split("\n").length - 1;

/** Lines of all files, whatever their kind, as `wc -l` counts them. So 484c61ca has 96,757 of source and 101,927 of tests. Pure. */
export function linesIn(files: readonly TextFile[]): number {
    return files.reduce((sum, { text }) => sum + lines(text), 0);
}

const longerThan = (files: readonly TextFile[], limit: number) =>
    files.filter(({ text }) => lines(text) > limit).length;

/** Each folder is counted without its subfolders. */
function largestFolders(files: readonly TextFile[]): Measure[] {
    const folders = new Map<string, { files: number; lines: number }>();
    for (const { path, text } of files) {
        const sum = folders.get(dirname(path)) ?? { files: 0, lines: 0 };
        folders.set(dirname(path), { files: sum.files + 1, lines: sum.lines + lines(text) });
    }
    const largest = (by: "files" | "lines") => {
        const [name, sum] = [...folders].reduce((most, each) => (each[1][by] > most[1][by] ? each : most));
        return { name: `largest flat folder by ${by}`, value: `${sum[by]} (${name})` };
    };
    return [largest("files"), largest("lines")];
}

function placesText(all: readonly Places[]): string {
    if (all.length === 0) throw new Error("npm run house finds none of them any more: correct dev/house/places.ts");
    const most = all.reduce((first, each) => (each.files.length > first.files.length ? each : first));
    const mean = all.reduce((sum, { files }) => sum + files.length, 0) / all.length;
    return `${most.files.length} (${most.name}), ${mean.toFixed(1)} of ${all.length}`;
}

const plumbing = ["Connections", "CloudClients", "Queues"];

/** Classes whose object a RunSession holds: several files have a class of the same name. Pure. */
export function sessionParts(files: readonly TextFile[]): string[] {
    const parts = files.flatMap(({ path, text }) =>
        [...text.matchAll(/\.part\(\s*(\w+)\s*\)/g)].map(([, name]) => {
            if (new RegExp(`class ${name}\\b`).test(text)) return `${path}#${name}`;
            const place = new RegExp(`import [^;]*\\b${name}\\b[^;]* from "([^"]+)"`).exec(text)?.[1] ?? "";
            return `${join(dirname(path), place)}.ts#${name}`;
        }),
    );
    return [...new Set(parts)].filter(part => !plumbing.includes(part.split("#")[1]!)).sort();
}

function folderPairs(files: readonly TextFile[]): Measure[] {
    const pairs = importsBetween(files);
    const mutual = [...pairs].filter(pair => pairs.has(pair.split(" > ").reverse().join(" > ")));
    const isNested = (pair: string) => {
        const [from, to] = pair.split(" > ") as [string, string];
        return from.startsWith(`${to}/`) || to.startsWith(`${from}/`);
    };
    const apart = mutual.filter(pair => !isNested(pair));
    return [
        { name: "folders that import another: pairs", value: `${pairs.size}` },
        {
            name: "pairs that import each other: side by side / one within the other",
            value: `${apart.length / 2} / ${(mutual.length - apart.length) / 2}`,
        },
    ];
}

/** "FROM > TO" of folders, each without its subfolders, in which a file imports one of the other. Pure. */
export function importsBetween(files: readonly TextFile[]): ReadonlySet<string> {
    const paths = new Set(files.map(({ path }) => path));
    const pairs = files.flatMap(({ path, text }) =>
        [...text.matchAll(/\b(?:from |import |import\(|require\()"(\.[^"]*)"/g)].flatMap(([, place]) => {
            const target = join(dirname(path), place!);
            const file = [`${target}.ts`, `${target}/index.ts`].find(each => paths.has(each));
            return file === undefined || dirname(file) === dirname(path) ? [] : [`${dirname(path)} > ${dirname(file)}`];
        }),
    );
    return new Set(pairs);
}

function storyMeasures(files: readonly TextFile[], dates: ReadonlyMap<string, number>): Measure[] {
    const textOf = (path: string) => files.find(file => file.path === path)?.text;
    const passed: Record<string, string> = JSON.parse(textOf("test/passed.json") ?? "{}");
    const stories = [...(textOf("dev/stories.ts") ?? "").matchAll(/^ {4}"([^"]+)": \{/gm)].map(([, name]) => name!);
    const never = stories.filter(name => passed[name] === undefined);
    const known = stories
        .filter(name => dates.has(passed[name] ?? ""))
        .sort((a, b) => dates.get(passed[a]!)! - dates.get(passed[b]!)!);
    const [oldest] = known;
    const day = oldest && new Date(dates.get(passed[oldest]!)! * 1000).toISOString().slice(0, 10);
    return [
        { name: "stories that never passed", value: `${never.length} of ${stories.length}` },
        {
            name: "oldest commit on which a story last passed",
            value: oldest ? `${passed[oldest]}, ${day} (${oldest})` : "none",
        },
    ];
}

/** The commits that `measuresOf` wants to know the dates of. */
export function commitsOf(files: readonly TextFile[]): string[] {
    const text = files.find(({ path }) => path === "test/passed.json")?.text ?? "{}";
    return Object.values(JSON.parse(text) as Record<string, string>);
}

/** A table in Markdown; each column has its title and its measures. Pure. */
export function tableOf(columns: readonly { title: string; measures: readonly Measure[] }[]): string {
    const rows = columns[0]!.measures.map(({ name }, i) => [
        name,
        ...columns.map(({ measures }) => measures[i]!.value),
    ]);
    const head = ["", ...columns.map(({ title }) => title)];
    const all = [head, head.map(() => "---"), ...rows];
    return all.map(cells => `| ${cells.join(" | ")} |`).join("\n");
}
