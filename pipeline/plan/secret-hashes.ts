import { unknownValue } from "../../provider/common/unknown-value";
import type { Act } from "./acts";
import type { InputHashes } from "./exchange";

/** What an event says of a resource. */
interface Shown {
    urn: string;
    name: string;
    type: string;
    isOurs: boolean;
    act?: Act;
    new?: { inputs?: Record<string, unknown> };
    /** Names of the inputs that differ, if the engine says so. */
    changed?: readonly string[];
}

/** How the engine's events show a secret. */
const mask = "[secret]";

/** Names of inputs that are secret, or have a secret in them. Pure. */
export function hiddenInputs({ new: next }: Pick<Shown, "new">): string[] {
    return Object.entries(next?.inputs ?? {}).flatMap(([name, value]) => (holds(value, mask) ? [name] : []));
}

/** Whether the preview did not know all inputs. Pure. */
export const isOpen = ({ new: next }: Pick<Shown, "new">): boolean => holds(next?.inputs, unknownValue);

function holds(value: unknown, text: string): boolean {
    if (typeof value === "string") return value === text;
    if (value === null || typeof value !== "object") return false;
    return Object.values(value).some(each => holds(each, text));
}

/** Keyed hashes of the hidden inputs, and the names of those that none covers. Pure. */
export function coverOf(entry: Shown, hashes: InputHashes): { hashes: Record<string, string>; open: string[] } {
    const [hidden, known = {}, inputs = {}] = [hiddenInputs(entry), hashes.get(entry.urn), entry.new?.inputs];
    // A plugin may store a secret under another name than the program gave it: `stringData` as `data`.
    const moved = entry.isOurs ? [] : Object.keys(known).filter(name => !(name in inputs));
    const isKnown = (name: string) => known[name] !== undefined;
    const covering = hidden.length === 0 ? [] : [...hidden.filter(isKnown), ...moved];
    return {
        hashes: Object.fromEntries(covering.map(name => [name, known[name]!])),
        open: moved.length > 0 ? [] : hidden.filter(name => !isKnown(name)),
    };
}

/** "kubernetes:core/v1:Secret login (data)": its secrets may become others, and no hash covers them. Undefined: all is covered, or stays. Pure. */
export function uncoveredSecrets(entry: Shown, hashes: InputHashes): string | undefined {
    const { act, type, name, changed } = entry;
    if (act === undefined || act === "delete" || act === "read") return undefined;
    const { open } = coverOf(entry, hashes);
    const may = act === "update" && changed !== undefined ? open.filter(each => changed.includes(each)) : open;
    return may.length === 0 ? undefined : `${type} ${name} (${may.sort().join(", ")})`;
}
