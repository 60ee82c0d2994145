import { basename } from "node:path";
import type { TextFile } from "./read-files";

/** In how many files something has to be written down. */
export interface Places {
    name: string;
    files: readonly string[];
}

const acting = /^(?:provider|components|pipeline)\/.*\.ts$/;

/**
 * Resource types: the files outside a type's own module that have its name as a string or as a key, so in a table. Uses of its class count nowhere. The
 * types are the rows of all descriptors. Pure.
 */
export function placesOfTypes(files: readonly TextFile[]): Places[] {
    const looked = withoutComments(files);
    const types = looked.flatMap(({ text }) =>
        [...text.matchAll(/^\s*([A-Z]\w+): describe[<(]/gm)].map(([, name]) => name!),
    );
    return types.map(name => {
        const row = new RegExp(`"${name}"|(?:^|[{,])\\s*${name}:`, "m");
        const isOwn = ({ path, text }: TextFile) =>
            text.includes("ResourceType<") && kebab(name).startsWith(basename(path, ".ts"));
        return {
            name,
            files: looked
                .filter(file => file.text.includes(name) && row.test(file.text) && !isOwn(file))
                .map(({ path }) => path),
        };
    });
}

const kebab = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();

/** Steps and acts: the files outside the step's own that have its id or one of its titles as a string. Pure. */
export function placesOfSteps(files: readonly TextFile[]): Places[] {
    const looked = withoutComments(files);
    const steps = new Map<string, { own: Set<string>; strings: Set<string> }>();
    for (const { path, text } of looked.filter(file => file.path.startsWith("provider/"))) {
        for (const { id, titles } of stepsIn(text)) {
            const step = steps.get(id) ?? { own: new Set(), strings: new Set([`"${id}"`]) };
            step.own.add(path);
            for (const title of titles) step.strings.add(title);
            steps.set(id, step);
        }
    }
    return [...steps].map(([name, { own, strings }]) => ({
        name,
        files: looked
            .filter(({ path, text }) => !own.has(path) && [...strings].some(each => text.includes(each)))
            .map(({ path }) => path),
    }));
}

/** A step's titles, of two words or more, stand behind its id and before the next one. In a file with one step all titles are its own. */
function stepsIn(text: string): { id: string; titles: string[] }[] {
    const constants = new Map(
        [...text.matchAll(/const (\w+) = ("[a-z]+\.[\w.-]+");/g)].map(([, name, id]) => [name, id]),
    );
    const found = [...text.matchAll(/\bid: (?:("[a-z]+\.[\w.-]+")|(\w+)),/g)].flatMap(
        ({ 1: literal, 2: name, index }) => {
            const id = literal ?? constants.get(name);
            return id === undefined ? [] : [{ id: id.slice(1, -1), index }];
        },
    );
    const isAlone = new Set(found.map(({ id }) => id)).size === 1;
    return found.map(({ id, index }, i) => {
        const stretch = isAlone ? text : text.slice(index, found[i + 1]?.index);
        const titles = [...stretch.matchAll(/\btitle: ([^;]*?)(?=,\n|, \w+:| \}|\n)/g)];
        return { id, titles: titles.flatMap(([, value]) => value!.match(/"[^" ]+ [^"]+"/g) ?? []) };
    });
}

function withoutComments(files: readonly TextFile[]): TextFile[] {
    return files
        .filter(({ path }) => acting.test(path))
        .map(({ path, text }) => ({ path, text: text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "") }));
}
