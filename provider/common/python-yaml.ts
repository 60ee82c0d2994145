import type { Document } from "yaml";
import {
    type DocumentOptions,
    LineCounter,
    type ParsedNode,
    type ParseOptions,
    parseDocument,
    type SchemaOptions,
} from "yaml";

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** More lines than a list or map of a real file has that begin too far to the left. */
const mostLines = 50;

/** A text as Heat and Tacker read it: within [ ] and { }, Python's reader takes lines that begin further left than YAML allows. */
export function parsePythonYaml(
    text: string,
    options: Options,
): { document: Document.Parsed<ParsedNode>; lines: LineCounter } {
    const first = parseOnce(text, options);
    let [read, draft] = [first, text];
    for (let tries = 0; tries < mostLines; tries++) {
        const [error] = read.document.errors;
        if (error === undefined) return read;
        if (!/^Flow (?:sequence|map) in block collection must be sufficiently indented/.test(error.message))
            return first;
        draft = `${draft.slice(0, error.pos[0])}${" ".repeat(200)}${draft.slice(error.pos[0])}`;
        read = parseOnce(draft, options);
    }
    return first;
}

function parseOnce(text: string, options: Options) {
    const lines = new LineCounter();
    return { document: parseDocument(text, { ...options, lineCounter: lines }), lines };
}
