import { createHash } from "node:crypto";

/** Namespace of all ids that this folder makes: version 5 of "pulumi-nfv.dev" in the namespace of DNS names. */
const ownNamespace = uuidV5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "pulumi-nfv.dev");

/** A UUID of a name: the same namespace and name always give the same. @see RFC 9562, section 5.5 */
export function uuidV5(namespace: string, name: string): string {
    const bytes = createHash("sha1")
        .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
        .update(name)
        .digest()
        .subarray(0, 16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x50;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Id of a thing of a cluster: stable over runs, other in another cluster. */
export function idOf(clusterId: string, ...names: string[]): string {
    return uuidV5(uuidV5(ownNamespace, clusterId), names.join("/"));
}
