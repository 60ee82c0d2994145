import { objectsInYaml } from "../../provider/vim/manifests";
import { yamlTexts } from "../common/yaml-files";
import { objectProblems } from "./plan";

/**
 * The texts of manifests that are applied while a cluster is made: wrong ones would stop it half made. `input`: where they stand.
 * @throws Error that says what is wrong with them
 */
export function manifestTexts(input: string, given: readonly string[]): string[] {
    const texts = given.flatMap((pathOrText, i) => yamlTexts(`${input}.${i}`, pathOrText));
    const problems = objectProblems(texts.flatMap(({ place, text }) => objectsInYaml(place, text)));
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return texts.map(({ text }) => text);
}
