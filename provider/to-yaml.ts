/** Documents that were written already, by their JSON: those of a cluster's nodes are nearly all the same. */
const written = new Map<string, string>();

/** YAML as Kubernetes reads it: version 1.1, in which a bare `y` or `on` is a boolean and so has to be quoted. */
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
