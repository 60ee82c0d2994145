import { parseAllDocuments } from "yaml";
import { yamlTexts } from "../yaml-files";

/** A Kubernetes object as data. */
export interface KubernetesObject {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace?: string; [key: string]: unknown };
    spec?: Record<string, unknown>;
    [key: string]: unknown;
}

/** An object and the place in the input that contains it. */
export interface Found {
    place: string;
    object: unknown;
}

/** Reads files, folders of files (by name), and YAML texts, in the given order. `input`: where they stand in the program. @throws Error that says what is wrong */
export function readManifests(manifests: readonly string[], input = "manifests"): Found[] {
    return manifests
        .flatMap((pathOrText, i) => yamlTexts(`${input}.${i}`, pathOrText))
        .flatMap(({ place, text }) => parse(place, text));
}

/** Objects given as data, with their places; a List is split into its items. */
export function readObjects(objects: readonly unknown[]): Found[] {
    return objects.flatMap((object, i) => unfold({ place: `objects.${i}`, object }));
}

function parse(place: string, text: string): Found[] {
    return parseAllDocuments(text).flatMap((document, i) => {
        const [error] = document.errors;
        if (error) throw new Error(`${place}: ${error.message}`);
        const object = document.toJS();
        return object === null ? [] : unfold({ place: `${place}[${i}]`, object });
    });
}

function unfold(found: Found): Found[] {
    const { kind, items } = (found.object ?? {}) as { kind?: unknown; items?: unknown };
    if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [found];
    return items.map((object, i) => ({ place: `${found.place}.items.${i}`, object }));
}
