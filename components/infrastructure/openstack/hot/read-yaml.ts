import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import { parsePythonYaml } from "../../../../provider/common/python-yaml";
import { setPlace, templateError } from "./places";
import { plainValue } from "./plain-scalars";
import type { Value, ValueMap } from "./types";

/** More nodes than any real template has: without a limit, aliases of aliases could fill the memory. */
const maximumNodes = 200_000;

/** YAML as Heat reads it, with the position of each map and list. */
export function readYaml(text: string, file: string): Value {
    // "failsafe" keeps all scalars as text, so that plainValue alone decides what an unquoted word means.
    const { document, lines } = parsePythonYaml(text, { schema: "failsafe", uniqueKeys: true });
    const error = document.errors[0];
    if (error) {
        throw templateError(
            `${file}:${lines.linePos(error.pos[0]).line}`,
            firstLine(error.message),
            "Correct the YAML.",
        );
    }
    return new Reader(document, file, lines).value(document.contents as Node | null);
}

class Reader {
    private seen = 0;
    private readonly within = new Set<Node>();

    constructor(
        private readonly document: Document,
        private readonly file: string,
        private readonly lines: LineCounter,
    ) {}

    value(node: Node | null): Value {
        if (node === null) return null;
        if (++this.seen > maximumNodes) throw this.error(node, "the template is too large");
        if (isAlias(node)) {
            const target = node.resolve(this.document);
            if (!target) throw this.error(node, `unknown alias *${node.source}`);
            return this.value(target);
        }
        if (isScalar(node)) {
            if (node.tag && !/^tag:yaml\.org,2002:str$|^!$/.test(node.tag)) {
                throw this.error(node, `tag ${node.tag} is not known`);
            }
            const text = node.value === null ? "" : String(node.value);
            return node.type === "PLAIN" && !node.tag ? plainValue(text) : text;
        }
        if (this.within.has(node)) throw this.error(node, "an alias contains itself");
        this.within.add(node);
        const value = isSeq(node) ? this.list(node.items as Node[], node) : this.map(node);
        this.within.delete(node);
        return value;
    }

    private list(items: Node[], node: Node): Value {
        const value = items.map(item => this.value(item));
        setPlace(value, this.place(node, items));
        return value;
    }

    private map(node: Node): Value {
        if (!isMap(node)) throw this.error(node, "this is neither a map nor a list");
        const merged: ValueMap = {};
        const own: ValueMap = {};
        const entries: Record<string, number> = {};
        for (const pair of node.items) {
            const key = this.key(pair.key as Node, node);
            entries[key] = this.line((pair.key as Node) ?? node);
            const value = this.value(pair.value as Node | null);
            if (key === "<<" && (pair.key as { type?: string }).type === "PLAIN") {
                for (const source of (Array.isArray(value) ? value : [value]).reverse()) {
                    Object.assign(merged, source);
                }
            } else {
                own[key] = value;
            }
        }
        const value = { ...merged, ...own };
        setPlace(value, { file: this.file, line: this.line(node), entries });
        return value;
    }

    /** Heat requires a text as key, and does not read an unquoted `on` as text. */
    private key(node: Node | null, map: Node): string {
        if (!isScalar(node)) throw this.error(node ?? map, "a key must be text");
        const text = node.value === null ? "" : String(node.value);
        const read = node.type === "PLAIN" ? plainValue(text) : text;
        if (read === null || typeof read === "boolean") {
            throw this.error(node, `the key ${text || "(empty)"} is not text for Heat`, `Quote it: "${text}".`);
        }
        if (text === "__proto__") throw this.error(node, "this key is not allowed");
        return text;
    }

    private place(node: Node, items: Node[]) {
        const entries = Object.fromEntries(items.map((item, index) => [index, this.line(item ?? node)]));
        return { file: this.file, line: this.line(node), entries };
    }

    private line(node: Node): number {
        return this.lines.linePos(node.range?.[0] ?? 0).line;
    }

    private error(node: Node, cause: string, hint = "Correct the YAML.") {
        return templateError(`${this.file}:${this.line(node)}`, cause, hint);
    }
}

function firstLine(text: string): string {
    return text.split("\n")[0].replace(/ at line \d+, column \d+:?$/, "");
}
