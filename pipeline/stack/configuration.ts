import { type Document, isCollection, isMap, parseDocument, Scalar, visit } from "yaml";
import { NfvError } from "../../provider/common/errors";

/** One value of a stack's configuration, below `pulumi-nfv:KEY`. */
export interface Setting {
    path: readonly string[];
    value: unknown;
}

/**
 * The text of a stack's configuration file (`Pulumi.STACK.yaml`) with other values below `pulumi-nfv:KEY`. Comments and all else stay. Pure.
 * @throws INVALID_INPUT for a text that is no such file, or values that are encrypted
 */
export function withSettings(text: string, key: string, settings: readonly Setting[]): string {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) throw wrong(`it is no YAML: ${error.message.split("\n")[0]}`);
    if (document.contents !== null && !isMap(document.contents)) throw wrong("a mapping is expected");
    const name = ["config", `pulumi-nfv:${key}`];
    const former = document.getIn(name);
    if (isMap(former) && former.has("secure")) throw wrong(`${name[1]} is encrypted; store it without --secret`);
    // `pulumi config set` without --path stores the text of an object.
    if (former !== undefined && !isMap(former)) document.setIn(name, document.createNode(opened(former, name[1]!)));
    for (const { path, value } of settings) {
        refuseScalarAbove(document, [...name, ...path]);
        document.setIn([...name, ...path], quoted(document.createNode(value)));
    }
    return document.toString({ lineWidth: 0 });
}

/** Pulumi reads the file by other rules: a plain 2026-11-27 would be a time for it, and 1_000 a number. */
function quoted<N extends Parameters<typeof visit>[0]>(node: N): N {
    visit(node, {
        Scalar: (place, scalar) => {
            if (place !== "key" && typeof scalar.value === "string") scalar.type = Scalar.QUOTE_DOUBLE;
        },
    });
    return node;
}

function refuseScalarAbove(document: Document, path: readonly string[]): void {
    for (let length = 2; length < path.length; length++) {
        const above = document.getIn(path.slice(0, length), true);
        if (above !== undefined && !isCollection(above)) throw wrong(`${path.slice(1, length).join(".")} is no object`);
    }
}

/** The value below `pulumi-nfv:KEY`, as plain data. Pure. */
export function settingOf(text: string, key: string, path: readonly string[]): unknown {
    const config = (parseDocument(text).toJS() as { config?: Record<string, unknown> } | null)?.config;
    let value: unknown = config?.[`pulumi-nfv:${key}`];
    if (typeof value === "string") value = opened(value, key);
    for (const name of path) value = (value as Record<string, unknown> | undefined)?.[name];
    return value;
}

function opened(value: unknown, place: string): object {
    try {
        const found: unknown = JSON.parse(String(value));
        if (typeof found === "object" && found !== null) return found;
    } catch {
        // the message below says it without quoting the value
    }
    throw wrong(`${place} is no object`);
}

function wrong(cause: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause: `the stack's configuration: ${cause}` });
}
