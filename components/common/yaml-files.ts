import { existsSync, readdirSync, statSync } from "node:fs";
import * as path from "node:path";
import { readGivenFile } from "../../provider/common/given-file";

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
    const other = otherThings.find(({ fits }) => fits(pathOrText));
    if (other !== undefined) throw new Error(`${input}: ${pathOrText} ${other.is}`);
    if (!existsSync(pathOrText)) {
        throw new Error(
            `${input}: there is no file or folder ${pathOrText}; relative paths start from ${process.cwd()}, and YAML text has several lines`,
        );
    }
    const files = statSync(pathOrText).isDirectory() ? filesIn(pathOrText) : [pathOrText];
    if (files.length === 0) throw new Error(`${input}: ${pathOrText} has no .yaml, .yml or .json file`);
    return files.map(place => ({ place, text: readGivenFile(place) }));
}

const has = (file: string) => (folder: string) => existsSync(path.join(folder, file));

/** What is often given in place of YAML files, and what is right then. */
const otherThings: { fits: (given: string) => boolean; is: string }[] = [
    { fits: given => /^[a-z]+:\/\//i.test(given), is: "is a URL: download it, and give the path of the file" },
    {
        fits: has("Chart.yaml"),
        is: 'is a Helm chart: a Cnf takes it as chart: { source: "./folder" }; elsewhere render it first (helm template)',
    },
    {
        fits: folder => path.basename(folder) === "templates" && has("../Chart.yaml")(folder),
        is: 'has the templates of a Helm chart: a Cnf takes the chart, the folder above, as chart: { source: "./folder" }',
    },
    { fits: has("kustomization.yaml"), is: "is for kustomize: render it first, kubectl kustomize FOLDER > all.yaml" },
];

function filesIn(folder: string): string[] {
    return readdirSync(folder)
        .filter(file => /\.(ya?ml|json)$/.test(file))
        .sort()
        .map(file => path.join(folder, file));
}
