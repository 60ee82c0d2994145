import { readFileSync } from "node:fs";
import { anyKind } from "./defined-kinds";
import type { KubernetesObject } from "./manifests";
import { definedKinds } from "./plan";

/**
 * The objects of a provider's components, where they can be read: a bundle has each one as JSON on a line. Those of a release are megabytes of YAML, which are
 * not read: undefined.
 */
export function componentsIn(componentsFile: string): KubernetesObject[] | undefined {
    const documents = readFileSync(componentsFile, "utf8").split(/^---[ \t]*(?:#.*)?$/m);
    if (documents.some(text => /^kind: *CustomResourceDefinition\b/m.test(text))) return undefined;
    return documents.filter(text => text.trimStart().startsWith("{")).map(text => JSON.parse(text));
}

/** Kinds that such components define, so that a network function of the same program may use them before they exist. */
export function kindsDefinedIn(components: readonly KubernetesObject[] | undefined): string[] {
    return components === undefined ? [anyKind] : definedKinds(components);
}
