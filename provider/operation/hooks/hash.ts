import { createHash, type Hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { whyUnreadable } from "../../common/given-file";
import type { HookSpec } from "./hook-spec";

/** The contents of a hook's files and folders; a folder's also with the names in it. The first 12 hex digits. */
export function hashOfHook({ files, tacker }: Pick<HookSpec, "files" | "tacker">, folder: string): string {
    const hash = createHash("sha256");
    const more = tacker?.newPackage === undefined ? [] : [tacker.newPackage];
    for (const file of [...files, ...more]) add(hash, resolve(folder, file), "");
    return hash.digest("hex").slice(0, 12);
}

function add(hash: Hash, file: string, name: string): void {
    // A link out of a package is refused where the package is read.
    if (name !== "" && lstatSync(file).isSymbolicLink()) return;
    const entries = listed(file);
    if (entries === undefined) {
        const content = readFileSync(file);
        hash.update(`${name}\0${content.length}\0`).update(content);
        return;
    }
    for (const entry of entries) add(hash, join(file, entry), `${name}/${entry}`);
}

/** Undefined: it is no folder. What Python leaves beside a script changes nothing. */
function listed(file: string): string[] | undefined {
    try {
        return readdirSync(file)
            .filter(entry => entry !== "__pycache__")
            .sort();
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
        throw new Error(whyUnreadable(file, error));
    }
}
