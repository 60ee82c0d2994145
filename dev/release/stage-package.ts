import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { run } from "../../tools/run";
import { type BundleEntry, bundledCode } from "./bundled-code";
import { prunedDeclarations } from "./pruned-declarations";

export interface Manifest {
    name: string;
    version: string;
    peerDependencies: Record<string, string>;
    exports: Record<string, string | { types: string; default: string }>;
    bin: Record<string, string>;
    scripts?: unknown;
    devDependencies?: unknown;
    files?: unknown;
}

/** Programs that users start by their path, besides those of `bin`. */
const programs = ["dist/testing/fleet-process.js"];

/**
 * Writes the folder of which the archive is made: what package.json lists in `files`, but the code as one file, and of the declarations only what users can
 * reach. dist/ must be compiled. Returns the paths of the files.
 */
export async function stagePackage(root: string, folder: string): Promise<string[]> {
    const {
        scripts: _,
        devDependencies: __,
        files: ___,
        ...manifest
    } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
    const plain = (await packedFiles(root)).filter(file => !file.startsWith("dist/") && file !== "package.json");
    const texts = { ...(await code(root, manifest)), "package.json": `${JSON.stringify(manifest, null, 4)}\n` };

    rmSync(folder, { recursive: true, force: true });
    for (const file of plain) cpSync(join(root, file), join(folder, file));
    for (const [file, text] of Object.entries(texts)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        const isProgram = Object.values(manifest.bin).includes(file);
        writeFileSync(join(folder, file), text, { mode: isProgram ? 0o755 : 0o644 });
    }
    return [...plain, ...Object.keys(texts)];
}

/** package.json as users get it: without what only the repository needs. */
export function userManifest(root: string): Manifest {
    const text = readFileSync(join(root, "package.json"), "utf8");
    const { scripts: _, devDependencies: __, files: ___, ...manifest } = JSON.parse(text) as Manifest;
    return manifest;
}

/** Makes the archive of a staged folder in `destination`; returns its path. */
export async function packStaged(folder: string, destination: string, cache?: string): Promise<string> {
    const options = ["--json", "--ignore-scripts", "--offline", ...(cache ? [`--cache=${cache}`] : [])];
    const answer = await run(["npm", "pack", ...options, "--pack-destination", destination], { cwd: folder });
    return join(destination, (JSON.parse(answer) as [{ filename: string }])[0].filename);
}

async function packedFiles(root: string): Promise<string[]> {
    const answer = await run(["npm", "pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], { cwd: root });
    const [{ files }] = JSON.parse(answer) as [{ files: { path: string }[] }];
    return files.map(({ path }) => path);
}

/** By path: the bundle, a small file for each entry, and the declarations. */
async function code(root: string, manifest: Manifest): Promise<Record<string, string>> {
    const exported = Object.values(manifest.exports).flatMap(target => (typeof target === "string" ? [] : [target]));
    const started = [...Object.values(manifest.bin), ...programs];
    const entries = [...exported.map(target => target.default.replace(/^\.\//, "")), ...started].map(file => ({
        file,
        ...entryOf(file),
    }));
    const { files, values } = prunedDeclarations(exported.map(({ types }) => join(root, types)));
    const texts: Record<string, string> = { "dist/bundle.js": await bundledCode(root, entries) };
    for (const { file, name } of entries) {
        const bundle = JSON.stringify(relative(dirname(file), "dist/bundle.js"));
        const names = values.get(join(root, file.replace(/\.js$/, ".d.ts"))) ?? [];
        texts[file] = started.includes(file) ? programText(bundle, name) : entryText(bundle, name, names);
    }
    for (const [file, text] of files) texts[relative(root, file)] = text;
    return texts;
}

/** "dist/pipeline/nfv.js": named pipeline_nfv, its source is pipeline/nfv.ts. */
function entryOf(file: string): BundleEntry {
    const path = file.replace(/^dist\//, "").replace(/\.js$/, "");
    return { name: path.replace(/\W/g, "_"), source: `${path}.ts` };
}

/** The last line is for Node's ES modules, which read the names of a CommonJS module without running it. */
function entryText(bundle: string, name: string, names: readonly string[]): string {
    const known = names.map(each => `exports.${each} = `).join("");
    return `"use strict";\nconst bundle = require(${bundle});\nmodule.exports = bundle.${name}();\n0 && (${known}undefined);\n`;
}

/** A program whose module has a function `main` is run by it; the others run when they are loaded. */
function programText(bundle: string, name: string): string {
    const run = `const { main } = require(${bundle}).${name}();\n`;
    const wait = "if (main) main(process.argv.slice(2)).then(code => {\n    process.exitCode = code;\n});\n";
    return `#!/usr/bin/env node\n"use strict";\n${run}${wait}`;
}
