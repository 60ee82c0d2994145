import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { keyedHash } from "./steps/fingerprint";

/** Set by nfv for a preview: a folder of its owner, and the key of the hashes that noteInputs leaves there. */
export const inputsVariables = { folder: "PULUMI_NFV_INPUTS", key: "PULUMI_NFV_INPUTS_KEY" };

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether hashes are asked for. */
export const areInputsAsked = (env: Environment): boolean => Boolean(env[inputsVariables.folder]);

/** Keyed hashes of a resource's inputs, by name. The engine hides secrets in its events, and the hash of a plan must cover them. */
export function noteInputs(urn: string, inputs: object, env: Environment): void {
    const [folder, key] = [env[inputsVariables.folder], env[inputsVariables.key]];
    if (!folder || !key || urn === "") return;
    const hashes = Object.entries(inputs).map(([name, value]) => [name, keyedHash(key, value)]);
    // Several processes have resources.
    const line = `${JSON.stringify([urn, Object.fromEntries(hashes)])}\n`;
    appendFileSync(join(folder, `inputs-${process.pid}`), line, { mode: 0o600 });
}
