import { unknownValue } from "../provider/unknown/unknown-value";
import type { InputHashes } from "./exchange";
import type { Entry } from "./planned-resources";

/** How the engine's events show a secret. */
const mask = "[secret]";

/** Names of inputs that are secret, or have a secret in them. Pure. */
export function hiddenInputs({ new: next }: Pick<Entry, "new">): string[] {
    return Object.entries(next?.inputs ?? {}).flatMap(([name, value]) => (holds(value, mask) ? [name] : []));
}

/** Whether the preview did not know all inputs. Pure. */
export const isOpen = ({ new: next }: Pick<Entry, "new">): boolean => holds(next?.inputs, unknownValue);

function holds(value: unknown, text: string): boolean {
    if (typeof value === "string") return value === text;
    if (value === null || typeof value !== "object") return false;
    return Object.values(value).some(each => holds(each, text));
}

/** Of the hidden inputs: keyed hashes, as far as there are some. A plugin may store a secret under another name than the program gave it. Pure. */
export function hashesOfHidden(entry: Entry, hashes: InputHashes): Record<string, string> {
    const [hidden, known = {}] = [hiddenInputs(entry), hashes.get(entry.urn)];
    if (hidden.length === 0) return {};
    const its = hidden.flatMap(name => (known[name] === undefined ? [] : [[name, known[name]]]));
    return its.length === hidden.length ? Object.fromEntries(its) : entry.isOurs ? Object.fromEntries(its) : known;
}

/** "kubernetes:core/v1:Secret login (data)": its secrets may become others, and no hash covers them. Undefined: all is covered, or stays. Pure. */
export function uncoveredSecrets(entry: Entry, hashes: InputHashes): string | undefined {
    const { act, type, name, urn, changed } = entry;
    if (act === undefined || act === "delete" || act === "read") return undefined;
    const known = hashes.get(urn);
    const open = hiddenInputs(entry).filter(each =>
        known === undefined ? true : entry.isOurs && known[each] === undefined,
    );
    const may = act === "update" && changed !== undefined ? open.filter(each => changed.includes(each)) : open;
    return may.length === 0 ? undefined : `${type} ${name} (${may.sort().join(", ")})`;
}
