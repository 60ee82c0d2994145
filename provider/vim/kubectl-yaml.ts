import {
    type Document,
    isAlias,
    isMap,
    isPair,
    isScalar,
    isSeq,
    type Node,
    parseAllDocuments,
    type Scalar,
    type YAMLMap,
    type YAMLParseError,
} from "yaml";

/** More values than any manifest has: aliases of aliases would fill the memory. */
const mostValues = 500_000;

/**
 * The documents of a text as kubectl and Helm read them: YAML 1.1 with Go's numbers, so `0400` is 256 and `yes` is true. Keys that stand twice are an error, as with
 * kubectl's strict validation. `prepare`: sees each document before it becomes data, with all scalars as texts. @throws Error that says what is wrong
 */
export function kubectlDocuments(text: string, prepare?: (document: Document) => void): unknown[] {
    // Without a schema all scalars are texts; what they mean is decided below.
    return parseAllDocuments(text, { schema: "failsafe", logLevel: "silent", prettyErrors: false }).map(document => {
        const [error] = document.errors;
        if (error !== undefined) throw new Error(templateIn(error.message, text) ?? wordsOf(error, text));
        prepare?.(document);
        return new Reader(document).valueOf(document.contents as Node | null);
    });
}

/** With its place, and without an extract of the text, which may be secret: some of the parser's words quote it, too. */
function wordsOf({ message, pos: [at] }: YAMLParseError, text: string): string {
    const lines = text.slice(0, at).split("\n");
    const isSecret = /(?:^|[\s{,])["']?kind["']?\s*:\s*["']?Secret\b/.test(text);
    return `${isSecret ? "cannot be read as YAML," : message} at line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

function templateIn(message: string, text: string): string | undefined {
    const [template] = /\{\{.*?\}\}/.exec(text) ?? [];
    return template === undefined ? undefined : `${unrendered(template)} (${message.split("\n")[0]})`;
}

const unrendered = (text: string) =>
    `${text} is a template that nothing has rendered; a Helm chart is given as chart: { source: "./folder" }`;

class Reader {
    private readonly open = new Set<Node>();
    private count = 0;

    constructor(private readonly document: Document) {}

    valueOf(node: Node | null): unknown {
        if (++this.count > mostValues) throw new Error(`has more than ${mostValues} values`);
        if (node === null) return null;
        if (isAlias(node)) return this.valueOf(this.targetOf(node.resolve(this.document), node.source));
        if (isScalar(node)) return scalarValue(node);
        if (this.open.has(node)) throw new Error("an anchor contains itself");
        this.open.add(node);
        const value = isSeq(node) ? node.items.map(each => this.valueOf(each as Node)) : this.mapOf(node as YAMLMap);
        this.open.delete(node);
        return value;
    }

    private targetOf(target: Node | undefined, name: string): Node {
        if (target === undefined) throw new Error(`there is no anchor ${name}`);
        return target;
    }

    private mapOf({ items }: YAMLMap): Record<string, unknown> {
        const all: Record<string, unknown> = {};
        for (const pair of items) {
            if (!isPair(pair)) continue;
            const { key, value } = pair as { key: Node | null; value: Node | null };
            if (isMerge(key)) Object.assign(all, this.merged(value));
            else all[this.nameOf(key)] = this.valueOf(value);
        }
        return all;
    }

    /** Of several maps the first has the last word. */
    private merged(value: Node | null): object {
        const given = this.valueOf(value);
        const maps = Array.isArray(given) ? [...given].reverse() : [given];
        if (maps.some(each => each === null || typeof each !== "object")) throw new Error("<<: needs a map");
        return Object.assign({}, ...maps);
    }

    private nameOf(key: Node | null): string {
        const name = this.valueOf(key);
        if (name !== null && typeof name === "object") {
            const text = JSON.stringify(name);
            throw new Error(isMap(key) ? unrendered(`{${text.replaceAll(/[":]|null/g, "")}}`) : `${text} is no key`);
        }
        if (name === null) throw new Error("null is no key: write it in quotes");
        return String(name);
    }
}

const isMerge = (key: unknown) => isScalar(key) && key.type === "PLAIN" && key.value === "<<";

const tagPrefix = "tag:yaml.org,2002:";

function scalarValue({ value, type, tag }: Scalar): unknown {
    // The parser itself decodes what is tagged as binary.
    if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
    const text = String(value ?? "");
    const name = tag?.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : undefined;
    if (name === "str" || tag === "!") return text;
    if (name === "int" || name === "float" || name === "bool" || name === "null") return tagged(text, name);
    return type === "PLAIN" ? plainValue(text) : text;
}

const typeNames: Record<string, string> = { int: "number", float: "number", bool: "boolean", null: "object" };

function tagged(text: string, tag: string): unknown {
    const value = plainValue(text);
    if (typeof value !== typeNames[tag]) throw new Error(`"${text}" is no ${tag}`);
    return value;
}

const words = new Map<string, boolean | null>([
    ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(each => [each, true] as const),
    ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(each => [each, false] as const),
    ...["", "~", "null", "Null", "NULL"].map(each => [each, null] as const),
]);

/** What a scalar without quotes means to kubectl. Dates stay texts, and so do numbers to the base 60. @throws Error for numbers that JSON does not have */
export function plainValue(text: string): unknown {
    const word = words.get(text);
    if (word !== undefined) return word;
    if (/^[-+]?\.inf$/i.test(text) || /^\.nan$/i.test(text)) throw new Error(`${text} is no number that JSON has`);
    if (!/^[-+.0-9]/.test(text)) return text;
    const digits = text.replaceAll("_", "");
    return wholeNumber(digits) ?? float(digits) ?? text;
}

/** Go's strconv.ParseInt with base 0: 0x1F, 0b11, 0o17 and 017 are numbers; 08 is none. */
function wholeNumber(text: string): number | undefined {
    const [, sign, hex, binary, octal, decimal] =
        /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/.exec(text) ?? [];
    const written =
        hex !== undefined
            ? `0x${hex}`
            : binary !== undefined
              ? `0b${binary}`
              : octal !== undefined
                ? `0o${octal}`
                : decimal;
    if (written === undefined) return undefined;
    const size = BigInt(written);
    // Larger ones are no whole numbers for Go.
    if (size >= 2n ** (sign === "" ? 64n : 63n)) return undefined;
    return Number(sign === "-" ? -size : size);
}

function float(text: string): number | undefined {
    if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined;
    const value = Number(text);
    if (!Number.isFinite(value)) return undefined;
    return value === 0 ? 0 : value;
}
