import { parseArgs } from "node:util";
import { readAllowed, writeAllowed } from "./allowed";
import { commitsOf, measuresOf, tableOf } from "./measures";
import { placesOfSteps, placesOfTypes } from "./places";
import { countsOf, lowered } from "./ratchet";
import { datesOf, readCommit, readFiles, type TextFile } from "./read-files";

const help = `npm run house [-- --at COMMIT | --places NAME | --lower]
  Prints a table of measures of the source: how large it is, how its parts hang together, how many private words it has.
  --at COMMIT: also of another commit, beside them.
  --places NAME: where a private word, a resource type or a step (by its id) stands, one place a line.
  --lower: writes what the ratchet of lint counts into dev/house/allowed.json, where it is less than before.`;

function main(): void {
    const options = {
        at: { type: "string" },
        places: { type: "string" },
        lower: { type: "boolean" },
        help: { type: "boolean", short: "h" },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) {
        console.log(help);
        return;
    }
    const files = readFiles();
    if (values.lower) {
        writeAllowed(lowered(countsOf(files), readAllowed()));
        return;
    }
    if (values.places !== undefined) {
        console.log(placesOf(values.places, files).join("\n"));
        return;
    }
    const column = (title: string, read: readonly TextFile[]) => ({
        title,
        measures: measuresOf(read, datesOf(commitsOf(read))),
    });
    console.log(
        tableOf([...(values.at === undefined ? [] : [column(values.at, readCommit(values.at))]), column("now", files)]),
    );
}

function placesOf(name: string, files: readonly TextFile[]): readonly string[] {
    const words = countsOf(files).map(count => ({ name: count.name, files: [...count.source, ...count.tests] }));
    const found = [...words, ...placesOfTypes(files), ...placesOfSteps(files)].filter(each => each.name === name);
    if (found.length === 0)
        throw new Error(`--places ${name}: no row of the table, no resource type and no step has this name`);
    return found.flatMap(each => each.files);
}

try {
    main();
} catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
}
