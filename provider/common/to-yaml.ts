/** Cache by JSON: the documents of a cluster's nodes are nearly all the same. */
const written = new Map<string, string>();

/** YAML for Kubernetes, which reads version 1.1: there a bare `y` or `on` is a boolean, so such strings are quoted. */
export function toYaml(...documents: object[]): string {
    return documents.map(writeOnce).join("---\n");
}

function writeOnce(document: object): string {
    const key = JSON.stringify(document);
    let text = written.get(key);
    if (text === undefined) {
        const { stringify } = require("yaml") as typeof import("yaml");
        text = stringify(document, { version: "1.1", lineWidth: 0 });
        if (written.size < 1000) written.set(key, text);
    }
    return text;
}
