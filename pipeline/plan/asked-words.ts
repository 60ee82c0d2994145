import type { EngineEvent } from "@pulumi/pulumi/automation";
import { unknownValue } from "../../provider/contract/values";
import { rotations } from "./rotated-keys";
import { isOurs, opened, shortType, specOf } from "./urns";

/** By type of resource: the words under which the program asks for what happens once. Undefined: one that is not known yet. */
export type AskedWords = Readonly<Record<string, readonly (string | undefined)[]>>;

type Inputs = Record<string, unknown>;

const words = (word: unknown) => [word === undefined || word === unknownValue ? undefined : String(word)];

/** Where resources have their word. */
const places: Readonly<Record<string, (inputs: Inputs) => (string | undefined)[]>> = {
    // A cluster that was never healed has none.
    OperationStart: ({ heals }) => (heals === undefined ? [] : words(opened(heals)?.["run"])),
    EtcdBackup: inputs => {
        const backup = opened(specOf(inputs)?.["backup"]);
        return backup !== undefined && backup["run"] === undefined ? [] : words(backup?.["run"]);
    },
    EtcdRestore: ({ requestId }) => words(requestId),
    ...Object.fromEntries(Object.values(rotations).map(type => [type, ({ word }: Inputs) => words(word)])),
};

/** Of all resources of a preview, also of those that stay as they are. Pure. */
export function askedWords(events: readonly EngineEvent[]): AskedWords {
    const found: Record<string, (string | undefined)[]> = {};
    for (const { resourcePreEvent } of events) {
        const { type = "", new: next } = resourcePreEvent?.metadata ?? {};
        // Null of one that is deleted.
        if (!next || !isOurs(type)) continue;
        const name = shortType(type);
        const its = places[name]?.(next.inputs ?? {}) ?? [];
        if (its.length > 0) found[name] = [...(found[name] ?? []), ...its];
    }
    return found;
}

/** Also true where a word is not known yet. Pure. */
export function isAsked(asked: AskedWords, type: string, word: string): boolean {
    return (asked[type] ?? []).some(each => each === undefined || each === word);
}
