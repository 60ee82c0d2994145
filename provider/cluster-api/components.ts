import { NfvError } from "../common/errors";
import type { KubeObject } from "../vim";
import { labelOf } from "./provider-names";
import type { ProviderSpec } from "./types";
import { substitute } from "./variables";

/**
 * The objects in a provider's components, with the values of its variables.
 * @throws INVALID_INPUT for variables without value, and for text that is no list of objects
 */
export function readComponents(spec: Pick<ProviderSpec, "type" | "name" | "components" | "variables">): KubeObject[] {
    const what = `components of ${labelOf(spec)}`;
    const documents = spec.components.split(/^---[ \t]*(?:#.*)?$/m).filter(text => text.trim() !== "");
    const objects = documents.flatMap(text => {
        const object = parse(text.includes("${") ? substitute(text, spec.variables ?? {}, what) : text, what);
        return object === null || object === undefined ? [] : [object];
    });
    const wrong = objects.findIndex(object => !isObject(object));
    if (wrong >= 0 || objects.length === 0) {
        const seen = wrong < 0 ? "there is none" : `object ${wrong + 1} is not so`;
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `${what} must be objects with apiVersion, kind and name: ${seen}`,
        });
    }
    return objects as KubeObject[];
}

/** Bundles write definitions as JSON, each on a line: reading megabytes of YAML takes seconds. */
function parse(text: string, what: string): unknown {
    const { parse: parseYaml } = require("yaml") as typeof import("yaml");
    try {
        return text.trimStart().startsWith("{") ? JSON.parse(text) : parseYaml(text);
    } catch (error) {
        // The lines after the first one show the text, in which values of variables may be secret.
        const [cause] = (error as Error).message.split("\n");
        throw new NfvError({ code: "INVALID_INPUT", cause: `${what} cannot be read: ${cause}` });
    }
}

function isObject(value: unknown): boolean {
    const { apiVersion, kind, metadata } = value as Partial<KubeObject>;
    return typeof apiVersion === "string" && typeof kind === "string" && typeof metadata?.name === "string";
}
