import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent } from "../provider/operation-hooks/events";
import type { HookKind, HookSpec, NodeSelection } from "../provider/operation-hooks/hook-spec";
import type { HookArgs } from "./hook-args";

/** A HookSpec whose parameters may contain outputs. */
export type GivenHook = Omit<HookSpec, "parameters" | "tacker"> & Pick<HookArgs, "parameters"> & { tacker?: object };

/** The hooks as the provider gets them. Reads their files: another content is another hook. */
export function hookList(hooks: readonly HookArgs[]): GivenHook[] {
    return hooks.map(({ name, events, nodes, action, parameters, timeoutSeconds = 600, retries = 0, ...ways }) => {
        const [kind, files] = wayOf(ways);
        const { package: _, ...tacker } = ways.tacker ?? {};
        return {
            ...{ name, kind, files, timeoutSeconds, retries },
            hash: hashOf([...files, ...(ways.tacker?.newPackage === undefined ? [] : [ways.tacker.newPackage])]),
            ...(events && { events: events as HookEvent[] }),
            ...(nodes && { nodes: nodes as NodeSelection }),
            ...(action !== undefined && { action: action as HookSpec["action"] }),
            ...(parameters && { parameters }),
            ...(Object.keys(tacker).length > 0 && { tacker }),
        };
    });
}

function wayOf({ module, script, manifests, tacker }: Partial<HookArgs>): [HookKind, string[]] {
    if (module !== undefined) return ["module", [module]];
    if (script !== undefined) return ["script", [script]];
    if (manifests !== undefined) return ["manifests", manifests];
    return ["tacker", [tacker!.package]];
}

/** The contents of files and folders; a folder's also with the names in it. The first 12 hex digits. */
function hashOf(files: readonly string[]): string {
    const hash = createHash("sha256");
    for (const file of files) add(hash, file, "");
    return hash.digest("hex").slice(0, 12);
}

function add(hash: ReturnType<typeof createHash>, file: string, name: string): void {
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
        throw error;
    }
}
