import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { keyedHash } from "./steps/fingerprint";

/** Set by nfv for a preview: a folder with `key`, and after the preview with what noteInputs has written. Only its owner can read it. */
export const secretsVariable = "PULUMI_NFV_SECRETS";

/** Keyed hashes of a resource's inputs, by name. The engine hides secrets in its events, and the hash of a plan must cover them. */
export function noteInputs(urn: string, inputs: object, env: Readonly<Record<string, string | undefined>>): void {
    const folder = env[secretsVariable];
    if (!folder || urn === "") return;
    const key = readFileSync(join(folder, "key"), "utf8");
    const hashes = Object.entries(inputs).map(([name, value]) => [name, keyedHash(key, value)]);
    // Several processes have resources.
    const line = `${JSON.stringify([urn, Object.fromEntries(hashes)])}\n`;
    appendFileSync(join(folder, `inputs-${process.pid}`), line, { mode: 0o600 });
}
