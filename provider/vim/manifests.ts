import { type Document, parseAllDocuments } from "yaml";

/** An object and the place that contains it. */
export interface Found {
    place: string;
    object: unknown;
}

/** The objects of a YAML text; a List is split into its items. `prepare`: sees each document before it becomes data. @throws Error that says what is wrong */
export function objectsInYaml(place: string, text: string, prepare?: (document: Document) => void): Found[] {
    return parseAllDocuments(text).flatMap((document, i) => {
        const [error] = document.errors;
        if (error) throw new Error(`${place}: ${error.message}`);
        prepare?.(document);
        const object = document.toJS();
        return object === null ? [] : unfold({ place: `${place}[${i}]`, object });
    });
}

/** The items of a List; anything else is itself. */
export function unfold(found: Found): Found[] {
    const { kind, items } = (found.object ?? {}) as { kind?: unknown; items?: unknown };
    if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [found];
    return items.map((object, i) => ({ place: `${found.place}.items.${i}`, object }));
}
