import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { canonicalJson } from "../../provider/steps/fingerprint";
import type { Setting } from "./configuration";
import { withSettings } from "./configuration";

/** The file that Pulumi reads for a stack of a project folder. `stack`: its name, also with organisation and project before it. */
export function stackFile(folder: string, stack: string): string {
    const project = ["Pulumi.yaml", "Pulumi.yml"].map(name => join(folder, name)).find(existsSync);
    const settings = (project && (parse(readFileSync(project, "utf8")) as Record<string, unknown>)) || {};
    const where = typeof settings["stackConfigDir"] === "string" ? settings["stackConfigDir"] : ".";
    return resolve(folder, where, `Pulumi.${stack.split("/").at(-1)}.yaml`);
}

/** A changed configuration that only the preview reads. Nothing is to be put back when the run is refused or killed: the stack's file was never touched. */
export interface Draft {
    file: string;
    /** False: somebody has written it since. */
    isOurs(): boolean;
    /** It becomes the stack's configuration. */
    commit(): void;
    discard(): void;
}

/** Undefined if the configuration would stay as it is. */
export function draftOf(file: string, key: string, settings: readonly Setting[]): Draft | undefined {
    if (settings.length === 0) return undefined;
    const text = configurationText(file);
    const draft = join(dirname(file), `.draft-${randomBytes(6).toString("hex")}-of-${basename(file)}`);
    const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o644;
    const wanted = withSettings(text, key, settings);
    writeFileSync(draft, wanted, { mode });
    const discard = () => rmSync(draft, { force: true });
    const commit = () => {
        const now = configurationText(file);
        // Somebody may have written the file since the preview, or it may be a link into another folder.
        if (now === text && !isLink(file)) return renameSync(draft, file);
        writeFileSync(file, withSettings(now, key, settings), { mode });
        discard();
    };
    return { file: draft, isOurs: () => isSameConfiguration(configurationText(draft), wanted), commit, discard };
}

const isLink = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Whether the texts of two such files have the same values. Pulumi adds how it encrypts when it first needs that. Pure. */
export function isSameConfiguration(a: string, b: string): boolean {
    const values = (text: string) => canonicalJson((parse(text) as { config?: unknown } | null)?.config ?? {});
    return values(a) === values(b);
}

/** Drafts of this file, each of one run. Pulumi knows the format by the end of the name. */
export function draftsOf(file: string): string[] {
    const folder = dirname(file);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names
        .filter(name => name.startsWith(".draft-") && name.endsWith(`-of-${basename(file)}`))
        .map(name => join(folder, name));
}

const oldMilliseconds = 24 * 3_600_000;

/** Removes what runs left that were killed in their previews. A younger one may be another's that still works. */
export function removeLeftDrafts(file: string): void {
    for (const draft of draftsOf(file)) {
        const { mtimeMs } = statSync(draft, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
        if (Date.now() - mtimeMs > oldMilliseconds) rmSync(draft, { force: true });
    }
}

export function configurationText(file: string): string {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
}
