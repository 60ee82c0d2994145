import { parse } from "yaml";
import type { ValueMap } from "./types";

const remembered = 8;
const read = new Map<string, ValueMap>();

/** A flat template as a value, which nobody changes. A plan asks ten times for the same one, and a large one takes long to read. */
export function flatTemplate(text: string): Readonly<ValueMap> {
    const known = read.get(text);
    if (known !== undefined) return known;
    const hot = parse(text) as ValueMap;
    if (read.size >= remembered) read.delete([...read.keys()][0]!);
    read.set(text, hot);
    return hot;
}
