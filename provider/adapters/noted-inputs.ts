import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, keyedHash } from "../steps/fingerprint";

/** Set by nfv for a preview: a folder of its owner, and the key of the hashes that noteInputs leaves there. */
export const inputsVariables = { folder: "PULUMI_NFV_INPUTS", key: "PULUMI_NFV_INPUTS_KEY" };

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether hashes are asked for. */
export const areInputsAsked = (env: Environment): boolean => Boolean(env[inputsVariables.folder]);

/**
 * Keyed hashes of a resource's inputs, by name. The engine hides secrets in its events, and the hash of a plan must cover them. `fresh`: what this preview has made at
 * random, which the next one makes otherwise.
 */
export function noteInputs(urn: string, inputs: object, env: Environment, fresh: Iterable<string> = []): void {
    const [folder, key] = [env[inputsVariables.folder], env[inputsVariables.key]];
    if (!folder || !key || urn === "") return;
    const texts = Object.entries(inputs).map(([name, value]) => [name, canonicalJson(value)] as const);
    const without = (text: string) => [...fresh].reduce((rest, each) => rest.replaceAll(each, "fresh"), text);
    const hashes = texts.map(([name, text]) => [name, keyedHash(key, without(text))]);
    // Several processes have resources.
    const line = `${JSON.stringify([urn, Object.fromEntries(hashes)])}\n`;
    appendFileSync(join(folder, `inputs-${process.pid}`), line, { mode: 0o600 });
}
