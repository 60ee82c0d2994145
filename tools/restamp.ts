import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { obtain } from "./cache";
import type { FoundTool } from "./found";
import { type Progress, silent } from "./progress";
import { reportedVersion } from "./reported-version";
import { sha256File } from "./sums";
import { tool } from "./versions";

/**
 * Kubernetes' programs under another version number: two patch releases for tests of upgrades, in seconds and from one build. They are not
 * that release: code and list of modules stay those of `found`. For tests only.
 */
export async function restamped(found: FoundTool, version: string, progress: Progress = silent): Promise<FoundTool> {
    const from = found.tool.version;
    const sums = await Promise.all(
        Object.entries(found.programs).map(async ([name, p]) => [name, await sha256File(p)]),
    );
    const request = { group: "restamped", name: `kubernetes-${version}-from-${from}`, inputs: sums };
    const { folder } = await obtain(
        request,
        async draft => {
            progress(`Kubernetes ${from} under the number ${version}, for tests only`);
            for (const [name, path] of Object.entries(found.programs)) {
                const program = join(draft, name);
                await writeFile(program, withVersion(await readFile(path), from, version), { mode: 0o755 });
                await mustReport(program, version);
            }
            return {};
        },
        progress,
    );
    const programs = Object.fromEntries(Object.keys(found.programs).map(name => [name, join(folder, name)]));
    return { ...found, tool: tool("kubernetes", version), programs, detail: `${from} under another number` };
}

/**
 * The bytes of a program with another version. Names of source files (a slash after it) and the list of modules (a tab after it) stay: they
 * tell what the program was made from. The numbers must be equally long, as nothing in a program may move.
 */
export function withVersion(program: Buffer, from: string, to: string): Buffer {
    const minor = (version: string) => version.split(".").slice(0, 2).join(".");
    if (from.length !== to.length || minor(from) !== minor(to)) {
        throw new Error(`${to} is no patch release beside ${from} that is equally long`);
    }
    const [seen, wanted] = [Buffer.from(`v${from}`), Buffer.from(`v${to}`)];
    const after = { file: "/".charCodeAt(0), module: "\t".charCodeAt(0) };
    const result = Buffer.from(program);
    for (let at = result.indexOf(seen); at >= 0; at = result.indexOf(seen, at + 1)) {
        const next = result[at + seen.length];
        if (next !== after.file && next !== after.module) wanted.copy(result, at);
    }
    return result;
}

async function mustReport(program: string, version: string): Promise<void> {
    const said = await reportedVersion(program);
    if ("version" in said && said.version === version) return;
    throw new Error(`${basename(program)} does not report v${version}: ${JSON.stringify(said)}`);
}
