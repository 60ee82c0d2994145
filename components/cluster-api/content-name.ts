import { createHash } from "node:crypto";
import { canonicalJson } from "../../provider/steps/fingerprint";

/**
 * A name that changes with the content. Cluster API does not look into templates: another name is what makes it replace machines, and most
 * templates cannot change at all.
 */
export const contentName = (name: string, content: unknown) => `${name}-${contentHash(content)}`;

/** Eight hexadecimal digits. The order of fields has no meaning. */
export function contentHash(content: unknown): string {
    return createHash("sha256").update(canonicalJson(content)).digest("hex").slice(0, 8);
}
