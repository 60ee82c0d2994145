import { canonicalJson } from "../steps/fingerprint";
import type { Fingerprints } from "../steps/types";
import { same, unknownValue } from "./values";

/**
 * The form in which the inputs of machines are sent and stored. `spec`, `steps` and the URN are one JSON text; all
 * secret inputs are one secret text, `secrets`; `done` is a text, too. The engine and its SDK spend time on each nested
 * property and each secret, at each preview and for each node. Inputs with unknown values are not packed. Only index.ts
 * packs and unpacks; resources see plain inputs.
 */

type Properties = Record<string, unknown>;

/** A secret and its place in the inputs: ["spec", "keys"]. */
export type SecretEntry = readonly [path: readonly string[], value: unknown];

/** Longer texts are stored once: the control-plane nodes' connections all contain the same key. */
const longText = 64;

/** One text of all secrets. Equal secrets in the same order give the same text. */
export function packSecrets(entries: readonly SecretEntry[]): string {
    const texts: string[] = [];
    const numberOf = new Map<string, number>();
    const shorten = (value: unknown): unknown => {
        if (typeof value === "string" && value.length > longText) {
            if (!numberOf.has(value)) numberOf.set(value, texts.push(value) - 1);
            return { $text: numberOf.get(value) };
        }
        if (Array.isArray(value)) return value.map(shorten);
        if (value === null || typeof value !== "object") return value;
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each)]));
    };
    const short = entries.map(([path, value]) => [path, shorten(value)]);
    return canonicalJson({ entries: short, texts });
}

/** The inputs or the state as resources see them. What was not packed stays unchanged. */
export function unpack(properties: Properties, secretNames: readonly string[]): Properties {
    const { spec, secrets, done, ...others } = properties;
    if (secrets === undefined && !isWithSteps(spec)) return properties;
    const plain: Properties = { ...others, ...opened(spec), ...(done !== undefined && { done: parsed(done) }) };
    if (secrets === undefined) return plain;
    if (secrets === unknownValue) {
        return { ...plain, ...Object.fromEntries(secretNames.map(name => [name, unknownValue])) };
    }
    for (const [path, value] of secretsIn(secrets)) put(plain, path, value);
    return plain;
}

/** A resource's answer in the form of the question. Unchanged packed inputs are returned as the same texts. */
export function packedLike(asked: Properties, answer: Properties, secretNames: readonly string[]): Properties {
    const { spec, secrets } = asked;
    if (secrets === undefined) return answer;
    const open = Object.entries(answer).filter(([name]) => !secretNames.includes(name) && !(name in opened(spec)));
    const { done, ...others } = Object.fromEntries(open);
    return { ...others, ...(done !== undefined && { done: canonicalJson(done) }), spec, secrets };
}

/** Whether packed inputs are equal to those of a state, or to those that were checked before. */
export function isAsBefore(olds: Properties, news: Properties): boolean {
    return Object.entries(news).every(
        ([name, value]) => name === "__provider" || value === olds[name] || same(value, olds[name]),
    );
}

/** Whether all steps that a state names were done. Comparing fingerprints is enough: no two steps have the same. */
export function isDone({ spec, done, pending = [], drift }: Properties): boolean {
    if (drift !== undefined) return false;
    if (typeof spec !== "string" || typeof done !== "string" || (pending as unknown[]).length > 0) return false;
    const { steps } = JSON.parse(spec) as { steps?: Fingerprints };
    const fingerprints = new Set(Object.values(JSON.parse(done) as Fingerprints));
    return steps !== undefined && Object.values(steps).every(each => fingerprints.has(each));
}

function secretsIn(secrets: unknown): readonly SecretEntry[] {
    const { entries, texts } = JSON.parse(secrets as string) as { entries: SecretEntry[]; texts: string[] };
    const lengthen = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(lengthen);
        if (value === null || typeof value !== "object") return value;
        const { $text } = value as { $text?: number };
        if ($text !== undefined) return texts[$text];
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lengthen(each)]));
    };
    return entries.map(([path, value]) => [path, lengthen(value)]);
}

/** Whether it is a packed spec, perhaps with unknown values. */
function isWithSteps(spec: unknown): boolean {
    return typeof spec === "string" || (typeof spec === "object" && spec !== null && "steps" in spec);
}

/** Properties in the spec's text that are not part of the spec. */
const besideSpec = new Set(["steps", "resourceUrn", "login", "connection", "controlPlane"]);

/** The inputs in the spec's text. */
function opened(spec: unknown): Properties {
    const whole = parsed(spec);
    if (whole === null || typeof whole !== "object") return { spec: whole };
    const entries = Object.entries(whole);
    return {
        ...Object.fromEntries(entries.filter(([name]) => besideSpec.has(name))),
        spec: Object.fromEntries(entries.filter(([name]) => !besideSpec.has(name))),
    };
}

/** Always a copy, because secrets are inserted into it. */
function parsed(spec: unknown): unknown {
    return typeof spec === "string" && spec !== unknownValue ? JSON.parse(spec) : structuredClone(spec);
}

function put(properties: Properties, path: readonly string[], value: unknown): void {
    const inner = path.slice(0, -1).reduce<Properties | undefined>((at, key) => {
        const next = at?.[key];
        return next !== null && typeof next === "object" ? (next as Properties) : undefined;
    }, properties);
    if (inner !== undefined) inner[path.at(-1)!] = value;
}
