import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import * as path from "node:path";
import { parseAllDocuments } from "yaml";

/** A Kubernetes object as data. */
export interface KubernetesObject {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace?: string; [key: string]: unknown };
    spec?: Record<string, unknown>;
    [key: string]: unknown;
}

/** An object and where it was written. */
export interface Found {
    place: string;
    object: unknown;
}

/** Reads a file, a folder of files (by name), or YAML text. @throws Error with what is wrong */
export function readManifests(manifests: string): Found[] {
    if (manifests.includes("\n")) return parse("manifests", manifests);
    if (!existsSync(manifests)) throw new Error(`manifests: there is no file or folder ${manifests}`);
    if (!statSync(manifests).isDirectory()) return parse(manifests, readFileSync(manifests, "utf8"));
    const files = readdirSync(manifests)
        .filter(file => /\.(ya?ml|json)$/.test(file))
        .sort()
        .map(file => path.join(manifests, file));
    if (files.length === 0) throw new Error(`manifests: ${manifests} has no .yaml, .yml or .json file`);
    return files.flatMap(file => parse(file, readFileSync(file, "utf8")));
}

/** Objects as data, with their places; a List is taken apart. */
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
