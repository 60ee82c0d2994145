import { runFacts } from "../contract/run-facts";
import type { InSession } from "../contract/types";

/** What a rotation of the service-account key makes of a cluster in this run. Keys by their names, the `kid` of tokens. */
export interface SigningKeys {
    /** The key that signs; `unmade`: another one than any before. */
    signs?: string | undefined;
    /** The key besides which no other one is accepted when this run ends. */
    alone?: string | undefined;
}

/** No key has this name. */
export const unmade = "";

/** For a Vim of the same program: its token is of a key that ends, or will end. */
export function noteSigningKeys(context: InSession | undefined, clusterId: string, keys: SigningKeys): void {
    const all = context && runFacts(context).program.signingKeys;
    all?.set(clusterId, { ...all.get(clusterId), ...keys });
}

export function signingKeysOf(context: InSession | undefined, clusterId: string): SigningKeys {
    return (context && runFacts(context).program.signingKeys.get(clusterId)) ?? {};
}

/** Name of the key that signed a token; undefined: it does not say. */
export function signerOf(token: string): string | undefined {
    try {
        const { kid } = JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString());
        return typeof kid === "string" ? kid : undefined;
    } catch {
        return undefined;
    }
}
