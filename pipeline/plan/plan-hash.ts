import { createHash } from "node:crypto";
import { canonicalJson } from "../../provider/steps/fingerprint";

/** A word for the plan, 24 hexadecimal digits. The order of keys makes no difference. Pure. */
export function planHash(...content: unknown[]): string {
    return createHash("sha256").update(canonicalJson(content)).digest("hex").slice(0, 24);
}
