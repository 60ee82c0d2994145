import type { Document } from "yaml";
import { kubectlDocuments } from "./kubectl-yaml";

/** An object and the place that contains it. */
export interface Found {
    place: string;
    object: unknown;
}

/** The objects of a YAML text; a List is split into its items. `prepare`: sees each document before it becomes data. @throws Error that says what is wrong */
export function objectsInYaml(place: string, text: string, prepare?: (document: Document) => void): Found[] {
    return documentsIn(place, text, prepare).flatMap((object, i) =>
        object === null ? [] : unfold({ place: `${place}[${i}]`, object }),
    );
}

function documentsIn(place: string, text: string, prepare?: (document: Document) => void): unknown[] {
    try {
        return kubectlDocuments(text, prepare);
    } catch (error) {
        throw new Error(`${place}: ${(error as Error).message}`);
    }
}

/** The items of a List; anything else is itself. */
export function unfold(found: Found): Found[] {
    const { kind, items } = (found.object ?? {}) as { kind?: unknown; items?: unknown };
    if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [found];
    return items.map((object, i) => ({ place: `${found.place}.items.${i}`, object }));
}
