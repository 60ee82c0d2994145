import { NfvError } from "../provider/errors";
import { type FoundTool, NotHere, type Source } from "./found";
import { builtCode } from "./go-groups";
import { type Progress, silent } from "./progress";
import { enabledSources, mirrorFolder, type SourceName } from "./settings";
import { download } from "./sources/download";
import { installed } from "./sources/installed";
import { lackingFiles, mirror } from "./sources/mirror";
import { modules } from "./sources/modules";
import { type Tool, type ToolName, tool } from "./versions";

export interface ResolveOptions {
    /** @default the pinned version */
    version?: string;
    /** @default those of PULUMI_NFV_SOURCES, else all */
    sources?: SourceName[];
    onProgress?: Progress;
}

/** The enabled sources, in the order in which they are asked. */
export function sources(options: ResolveOptions = {}): Source[] {
    const progress = options.onProgress ?? silent;
    const all: Record<SourceName, () => Source> = {
        installed: () => installed,
        mirror: () => mirror(mirrorFolder(), progress),
        download: () => download(progress),
        modules: () => modules(progress),
    };
    return (options.sources ?? enabledSources()).map(name => all[name]());
}

/** In words, which of the tool's files no mirror folder has that is asked; undefined: it has all. */
export function lackingInMirror(wanted: Tool, asked: SourceName[] = enabledSources()): string | undefined {
    return lackingFiles(asked.includes("mirror") ? mirrorFolder() : undefined, wanted);
}

/** Finds, downloads or builds a tool. */
export function resolveTool(name: ToolName, options: ResolveOptions = {}): Promise<FoundTool> {
    return resolveFrom(tool(name, options.version), sources(options), options.onProgress ?? silent);
}

/** First what is available at once, in the order of the sources; then what takes network or time, in the same order. */
export async function resolveFrom(wanted: Tool, from: Source[], progress: Progress): Promise<FoundTool> {
    const reasons = new Map<SourceName, string>();
    const ask = async (source: Source, question: () => Promise<FoundTool | undefined>) => {
        try {
            return await question();
        } catch (error) {
            if (!(error instanceof NotHere) && !(error instanceof NfvError)) {
                throw error;
            }
            reasons.set(source.name, error.message);
            if (error instanceof NfvError || error.message.startsWith("refused")) {
                progress(`${wanted.title} ${wanted.version}: ${source.name}: ${error.message}`);
            }
            return undefined;
        }
    };
    for (const source of from) {
        // The release is better than a build of other code under its number, also where that build is in the cache.
        if (source.name === "modules" && builtCode(wanted.name, wanted.version) !== undefined) {
            continue;
        }
        const found =
            (await ask(source, () => source.ready(wanted))) ??
            (source.quick ? await ask(source, () => source.obtain(wanted)) : undefined);
        if (found) {
            return found;
        }
    }
    for (const source of from.filter(candidate => !candidate.quick)) {
        const found = await ask(source, () => source.obtain(wanted));
        if (found) {
            return found;
        }
    }
    throw missing(wanted, reasons);
}

function missing(wanted: Tool, reasons: Map<SourceName, string>): NfvError {
    const tried = [...reasons].map(([name, reason]) => `${name}: ${reason}`);
    return new NfvError({
        code: "TOOL_MISSING",
        step: wanted.title,
        cause: [`${wanted.title} ${wanted.version} cannot be had (needed for: ${wanted.neededFor})`, ...tried].join(
            "\n",
        ),
    });
}
