import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import * as path from "node:path";

export interface YamlText {
    /** The file, or the input that contains the text. */
    place: string;
    text: string;
}

/**
 * YAML text, or the contents of what a path names: a file, or the .yaml, .yml and .json files of a folder by name.
 * @param input name of the input in errors
 * @throws Error that says what is wrong
 */
export function yamlTexts(input: string, pathOrText: string): YamlText[] {
    if (pathOrText.includes("\n")) return [{ place: input, text: pathOrText }];
    if (!existsSync(pathOrText)) {
        throw new Error(
            `${input}: there is no file or folder ${pathOrText}; relative paths start from ${process.cwd()}, and YAML text has several lines`,
        );
    }
    const files = statSync(pathOrText).isDirectory() ? filesIn(pathOrText) : [pathOrText];
    if (files.length === 0) throw new Error(`${input}: ${pathOrText} has no .yaml, .yml or .json file`);
    return files.map(place => ({ place, text: readFileSync(place, "utf8") }));
}

function filesIn(folder: string): string[] {
    return readdirSync(folder)
        .filter(file => /\.(ya?ml|json)$/.test(file))
        .sort()
        .map(file => path.join(folder, file));
}
