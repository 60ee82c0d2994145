import { chmod, copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type EntryRequest, lookUp, obtain } from "../cache";
import { type FoundTool, NotHere, type Source } from "../found";
import { buildPrograms, builtPrograms, goVersion, moduleFiles, takenFiles } from "../go-build";
import type { GoGroup } from "../go-group";
import { builtCode, goGroups, oldestGo } from "../go-groups";
import { whyTooOld } from "../go-version";
import type { Progress } from "../progress";
import type { Tool } from "../versions";

/** Built from Go modules. */
export function modules(progress: Progress): Source {
    const groups = (tool: Tool) => goGroups(tool.name, tool.version);
    return {
        name: "modules",
        quick: false,
        ready: async tool => {
            const parts = await Promise.all(groups(tool).map(builtPrograms));
            if (parts.length === 0 || parts.some(part => part === undefined)) {
                return undefined;
            }
            const files = await Promise.all(groups(tool).map(takenFiles));
            if (files.some(part => part === undefined)) {
                return undefined;
            }
            return assembled(tool, Object.assign({}, ...parts), Object.assign({}, ...files), true);
        },
        prospect: async tool => {
            const seconds = usualSeconds(groups(tool));
            const go = await goVersion();
            if (seconds === 0 || go === undefined) return undefined;
            const tooOld = whyTooOld(go, oldestGo(tool.name, tool.version));
            if (tooOld !== undefined) return { usable: false, detail: `not built from Go modules: ${tooOld}` };
            return {
                usable: true,
                detail: `can be built from Go modules (about ${Math.ceil(seconds / 60)} min on 2 quiet cores)`,
                code: builtCode(tool.name, tool.version),
            };
        },
        obtain: async tool => {
            if (groups(tool).length === 0) {
                throw new NotHere("its Go modules are not published");
            }
            const go = await goVersion();
            const tooOld = go && whyTooOld(go, oldestGo(tool.name, tool.version));
            if (!go || tooOld) {
                throw new NotHere(tooOld || "Go is not installed");
            }
            const [programs, files]: Record<string, string>[] = [{}, {}];
            for (const group of groups(tool)) {
                Object.assign(programs, await buildPrograms(group, progress));
                Object.assign(files, await moduleFiles(group, progress));
            }
            return (await assembled(tool, programs, files, false)) as FoundTool;
        },
    };
}

function usualSeconds(groups: GoGroup[]): number {
    const parts = groups.flatMap(({ programs, generated }) => [...Object.values(programs), generated ?? []].flat());
    return parts.reduce((sum, { usualSeconds }) => sum + usualSeconds, 0);
}

/** Pulumi looks for its language host beside itself, so its programs are put into one folder; other tools' programs stay where they are. */
async function assembled(
    tool: Tool,
    programs: Record<string, string>,
    files: Record<string, string>,
    onlyIfReady: boolean,
): Promise<FoundTool | undefined> {
    const detail = `built with ${await goVersion()}`;
    const code = builtCode(tool.name, tool.version);
    if (tool.name !== "pulumi") {
        return { tool, programs, files, source: "modules", detail, code };
    }
    const launcher = require.resolve("@pulumi/pulumi/pulumi-resource-pulumi-nodejs");
    const parts = { ...programs, "pulumi-resource-pulumi-nodejs": launcher };
    const request: EntryRequest = { group: "tools", name: `pulumi-${tool.version}-modules`, inputs: parts };
    const build = async (draft: string) => {
        for (const [name, path] of Object.entries(parts)) {
            await mkdir(dirname(join(draft, name)), { recursive: true });
            await copyFile(path, join(draft, name));
            await chmod(join(draft, name), 0o755);
        }
        return {};
    };
    const entry = onlyIfReady ? await lookUp(request) : await obtain(request, build);
    return (
        entry && {
            tool,
            programs: Object.fromEntries(tool.programs.map(name => [name, join(entry.folder, name)])),
            files,
            source: "modules",
            detail,
            code,
        }
    );
}
