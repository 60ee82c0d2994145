import { NfvError } from "../provider/common/errors";
import { CacheUnusable } from "./cache-folder";
import { type FoundTool, NoSuchVersion, NotHere, type Source } from "./found";
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

/** In words, which of the tool's files a mirror folder should have; undefined: it has all. */
export function lackingInMirror(wanted: Tool, asked: SourceName[] = enabledSources()): string | undefined {
    if (asked.includes("mirror")) return lackingFiles(mirrorFolder(), wanted);
    const files = wanted.releases.map(({ file }) => file);
    return `the source mirror is switched off, which takes ${files.join(", ")}`;
}

/** Finds, downloads or builds a tool. */
export function resolveTool(name: ToolName, options: ResolveOptions = {}): Promise<FoundTool> {
    return resolveFrom(tool(name, options.version), sources(options), options.onProgress ?? silent);
}

/** One question to a source. */
export interface Attempt {
    source: Source;
    how: "ready" | "obtain";
}

/** First what is available at once, in the order of the sources; then what takes network or time, in the same order. Pure. */
export function attempts(wanted: Tool, from: Source[]): Attempt[] {
    // The release is better than a build of other code under its number, also where that build is in the cache.
    const isLate = ({ name }: Source) => name === "modules" && builtCode(wanted.name, wanted.version) !== undefined;
    return [
        ...from
            .filter(source => !isLate(source))
            .flatMap((source): Attempt[] => [
                { source, how: "ready" },
                ...(source.quick ? [{ source, how: "obtain" } as const] : []),
            ]),
        ...from
            .filter(source => !source.quick)
            .flatMap((source): Attempt[] => [
                ...(isLate(source) ? [{ source, how: "ready" } as const] : []),
                { source, how: "obtain" },
            ]),
    ];
}

/** Asks one source after another. */
export async function resolveFrom(wanted: Tool, from: Source[], progress: Progress): Promise<FoundTool> {
    const reasons = new Map<SourceName, string>();
    let cache: CacheUnusable | undefined;
    let absent: string | undefined;
    for (const { source, how } of attempts(wanted, from)) {
        try {
            const found = await source[how](wanted);
            if (found) return found;
        } catch (error) {
            if (!(error instanceof NotHere) && !(error instanceof NfvError)) {
                throw error;
            }
            reasons.set(source.name, error.message);
            if (error instanceof NoSuchVersion) absent ??= error.message;
            // Each source says the same of the cache.
            if (error instanceof CacheUnusable && cache !== undefined) continue;
            if (error instanceof CacheUnusable) cache = error;
            if (error instanceof NfvError || error.message.startsWith("refused")) {
                progress(`${wanted.title} ${wanted.version}: ${source.name}: ${error.message}`);
            }
        }
    }
    throw cache ?? new ToolMissing(wanted, reasons, absent);
}

/** No source gave the tool. */
export class ToolMissing extends NfvError {
    constructor(
        { title, version, neededFor }: Tool,
        reasons: ReadonlyMap<SourceName, string>,
        /** The answer of a source that knows that there is no such version. */
        readonly absent: string | undefined,
    ) {
        const tried = [...reasons].map(([name, reason]) => `${name}: ${reason}`);
        const cause = [`${title} ${version} cannot be had (needed for: ${neededFor})`, ...tried].join("\n");
        super({ code: "TOOL_MISSING", step: title, cause });
    }
}
