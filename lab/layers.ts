import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../tools/lock";
import { cacheFolder, scripts } from "./paths";
import { run } from "./process";

export type Report = (line: string) => void;

/** A read-only folder of the cache that nodes mount. Its name is a hash of everything it was made from. */
export interface Layer {
    name: string;
    key: string;
    folder: string;
}

export interface LayerRecipe {
    name: string;
    /** Everything that decides the content, besides the layers below. */
    inputs: unknown;
    below?: Layer[];
    /** Fills `folder`. The folder gets its final name only when this has succeeded. */
    build: (folder: string, draft: string) => Promise<void>;
    /** Shown as progress while the layer is built. */
    what: string;
}

export const lowerDirs = (layers: readonly Layer[]) => layers.map(layer => layer.folder).join(":");

/** Text of a script and of the files beside it that it uses: a changed script makes another layer. */
export function scriptInputs(...names: string[]): Record<string, string> {
    const files = names.flatMap(name =>
        name.endsWith("/") ? readdirSync(join(scripts, name)).map(file => name + file) : [name],
    );
    return Object.fromEntries(files.sort().map(file => [file, readFileSync(join(scripts, file), "utf8")]));
}

export function layerKey(recipe: Pick<LayerRecipe, "name" | "inputs" | "below">): string {
    const text = JSON.stringify([recipe.name, recipe.inputs, (recipe.below ?? []).map(layer => layer.key)]);
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The layer from the cache, built if missing. A half-built one has no ".done" beside it and is never used. */
export async function ensureLayer(recipe: LayerRecipe, report: Report): Promise<Layer> {
    const key = layerKey(recipe);
    const folder = join(cacheFolder(), `${recipe.name}-${key}`);
    const layer = { name: recipe.name, key, folder };
    if (existsSync(`${folder}.done`)) {
        return layer;
    }
    const waiting = (holder: string) => report(`${recipe.what}: process ${holder} is making it, waiting`);
    await withLock(`${folder}.lock`, waiting, async () => {
        if (existsSync(`${folder}.done`)) {
            return;
        }
        const start = Date.now();
        report(`${recipe.what} …`);
        await rm(folder, { recursive: true, force: true });
        const draft = `${folder}.draft`;
        await rm(draft, { recursive: true, force: true });
        await mkdir(join(draft, "content"), { recursive: true });
        await recipe.build(join(draft, "content"), draft);
        await rename(join(draft, "content"), folder);
        await rm(draft, { recursive: true, force: true });
        await writeFile(`${folder}.done`, `${new Date().toISOString()}\n`);
        report(`${recipe.what}: done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
    });
    return layer;
}

/** Runs a script on the layers below with `content` on top. The mount lives in its own namespace and disappears with it. */
export async function runOnLayers(
    below: readonly Layer[],
    content: string,
    draft: string,
    script: string,
    args: readonly string[],
): Promise<void> {
    const work = join(draft, "work");
    const root = join(draft, "root");
    await Promise.all([mkdir(work, { recursive: true }), mkdir(root, { recursive: true })]);
    const mount = `lowerdir=${lowerDirs(below)},upperdir=${content},workdir=${work}`;
    const inside = 'mount -t overlay overlay -o "$1" "$2"; shift 2; exec "$@"';
    await run([
        ...[
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "--pid",
            "--fork",
            "--kill-child",
            "bash",
            "-ec",
            inside,
            "-",
            mount,
            root,
        ],
        ...[join(scripts, script), root, ...args],
    ]);
}
