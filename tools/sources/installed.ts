import { constants, realpathSync } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { FoundTool, Source } from "../found";
import { NotHere } from "../found";
import { tryRun } from "../run";
import type { Tool } from "../versions";

/** Programs in PATH, if all of a tool's programs lie in one folder in the pinned version; plugins in the user's Pulumi folder. */
export const installed: Source = {
    name: "installed",
    quick: true,
    ready: tool => (tool.name.startsWith("plugin-") ? installedPlugin(tool) : inPath(tool)),
    prospect: async () => undefined,
    obtain: async () => {
        throw new NotHere("not installed in the pinned version");
    },
};

async function inPath(tool: Tool): Promise<FoundTool | undefined> {
    const main = tool.installed && (await which(tool.installed.argv[0]));
    if (!tool.installed || !main) {
        return undefined;
    }
    // One version speaks for all programs, so they must come from one place. Pulumi, too, looks for its language host beside the real file.
    const folder = dirname(realpathSync(main));
    const paths = await Promise.all(tool.programs.map(name => usable(join(folder, name))));
    if (paths.some(path => path === undefined)) {
        return undefined;
    }
    const { exitCode, stdout } = await tryRun([main, ...tool.installed.argv.slice(1)], {
        timeoutSeconds: 20,
        env: { PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    if (exitCode !== 0 || !says(stdout, tool.installed.contains)) {
        return undefined;
    }
    const programs = Object.fromEntries(tool.programs.map((name, i) => [name, paths[i] as string]));
    return { tool, programs, files: {}, source: "installed", detail: main };
}

/** Whether the words stand alone: "v1.36.3" is neither in "v1.36.30" nor in "v1.36.3-rc.0" or "v1.36.3+k3s1". Pure. */
export function says(text: string, words: string): boolean {
    return text.split("\n").some(line => ` ${line.trim()} `.includes(` ${words} `));
}

async function installedPlugin(tool: Tool): Promise<FoundTool | undefined> {
    const [program] = tool.programs;
    const home = process.env.PULUMI_HOME || join(homedir(), ".pulumi");
    const folder = join(home, "plugins", `${program.replace("pulumi-", "")}-v${tool.version}`);
    const path = (await usable(`${folder}.partial`)) ? undefined : await usable(join(folder, program));
    return path ? { tool, programs: { [program]: path }, files: {}, source: "installed", detail: folder } : undefined;
}

/** The program's file in the folders of a PATH. */
export async function which(name: string, path = process.env.PATH ?? ""): Promise<string | undefined> {
    for (const folder of path.split(delimiter).filter(Boolean)) {
        const path = await usable(join(folder, name));
        if (path) {
            return path;
        }
    }
    return undefined;
}

async function usable(path: string): Promise<string | undefined> {
    return access(path, constants.X_OK).then(
        () => path,
        () => undefined,
    );
}
