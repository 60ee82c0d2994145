/** Most bytes of the data of a ConfigMap are 1 MiB, its keys included. */
export const mostBytes = 1024 * 1024 - 64;

/**
 * A text of YAML documents as parts that fit into a ConfigMap each, by name: "add-on-1", then "add-on-1-2" and so on. One that fits stays as it is.
 * @throws Error for a document that does not fit
 */
export function partsOf(name: string, text: string): Record<string, string> {
    if (bytesOf(text) <= mostBytes) return { [name]: text };
    const parts: string[] = [];
    let room = 0;
    // A line that begins with "---" is always the begin of a document: block texts are indented.
    for (const [i, document] of text.split(/^(?=---(?:\s|$))/m).entries()) {
        const size = bytesOf(document);
        if (size > mostBytes) throw new Error(tooLarge(name, i, size));
        if (size > room) {
            parts.push("");
            room = mostBytes;
        }
        parts[parts.length - 1] += document;
        room -= size;
    }
    return Object.fromEntries(parts.map((part, i) => [i === 0 ? name : `${name}-${i + 1}`, part]));
}

const bytesOf = (text: string) => Buffer.byteLength(text);

const tooLarge = (name: string, i: number, size: number) =>
    `${name}: its document ${i + 1} has ${size} bytes, and a ConfigMap, by which Cluster API brings it to the cluster, may have ${mostBytes}: apply it with a Cnf on the cluster's vim`;
