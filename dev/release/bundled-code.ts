import { build } from "esbuild";

/** One entry of the bundle: a name, and its source below the package's folder. */
export interface BundleEntry {
    name: string;
    source: string;
}

/**
 * All code of the package as one file, which exports a function for each entry. What an entry needs is evaluated at the first call only, and what the sources load
 * late stays late. Functions and classes keep their names, and lines are short: stack traces can be read.
 */
export async function bundledCode(root: string, entries: readonly BundleEntry[]): Promise<string> {
    const contents = entries.map(({ name, source }) => `exports.${name} = () => require("./${source}");`).join("\n");
    const { outputFiles } = await build({
        stdin: { contents, resolveDir: root, loader: "js" },
        bundle: true,
        write: false,
        platform: "node",
        target: "node20.19",
        format: "cjs",
        // Our own name, too: schema.json is found by it.
        packages: "external",
        minify: true,
        keepNames: true,
        lineLimit: 120,
        legalComments: "none",
        logLevel: "error",
    });
    return outputFiles[0]!.text;
}
