import { readFileSync } from "node:fs";
import { anyKind } from "./defined-kinds";
import { definedKinds } from "./plan";

/**
 * Kinds that a provider's components define, so that a network function of the same program may use them before they exist. A bundle has each
 * definition as JSON on a line; those of a release are megabytes of YAML, which are not read: they may define anything.
 */
export function kindsDefinedIn(componentsFile: string): string[] {
    const documents = readFileSync(componentsFile, "utf8").split(/^---[ \t]*(?:#.*)?$/m);
    if (documents.some(text => /^kind: *CustomResourceDefinition\b/m.test(text))) return [anyKind];
    const objects = documents.filter(text => text.trimStart().startsWith("{")).map(text => JSON.parse(text));
    return definedKinds(objects);
}
