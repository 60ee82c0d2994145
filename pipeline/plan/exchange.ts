import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation";
import { inputsVariables } from "../../provider/adapters/noted-inputs";
import { type PlannedResourceActs, planVariables } from "../../provider/adapters/planned-run";

/** By URN: keyed hashes of its inputs. */
export type InputHashes = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The stack with a folder, while `work` goes on, in which the preview's resources leave hashes of their inputs. Without a key they leave none. */
export async function hashingInputs<T>(
    stack: Stack,
    key: string | undefined,
    work: (stack: Stack, hashes: () => InputHashes) => Promise<T>,
): Promise<T> {
    if (key === undefined) return work(stack, () => new Map());
    return inFolder(folder => {
        const own = withVariables(stack, { [inputsVariables.folder]: folder, [inputsVariables.key]: key });
        return work(own, () => hashesIn(folder));
    });
}

/** The stack whose run may do only what the plan names, while `work` goes on. */
export async function bound<T>(
    stack: Stack,
    acts: readonly PlannedResourceActs[],
    work: (stack: Stack) => Promise<T>,
): Promise<T> {
    return inFolder(folder => {
        const [file, text] = [join(folder, "plan.json"), JSON.stringify(acts)];
        writeFileSync(file, text, { mode: 0o600 });
        const sum = createHash("sha256").update(text).digest("hex");
        return work(withVariables(stack, { [planVariables.file]: file, [planVariables.sum]: sum }));
    });
}

/** Others may use the same stack at the same time. */
function withVariables(stack: Stack, variables: Readonly<Record<string, string>>): Stack {
    const envVars = { ...stack.workspace.envVars, ...variables };
    const workspace = Object.create(stack.workspace, { envVars: { value: envVars } });
    return Object.create(stack, { workspace: { value: workspace } });
}

function hashesIn(folder: string): InputHashes {
    const lines = readdirSync(folder)
        .filter(name => name.startsWith("inputs-"))
        .flatMap(name => readFileSync(join(folder, name), "utf8").trim().split("\n"));
    const all = new Map<string, Record<string, string>>();
    for (const [urn, hashes] of lines.map(line => JSON.parse(line))) all.set(urn, { ...all.get(urn), ...hashes });
    return all;
}

/** Only its owner can read it, and no secret is in it: a run that is killed leaves it. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), "nfv-run-"));
    try {
        return await work(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
