import { join } from "node:path";
import type { SourceName } from "./settings";
import type { Tool } from "./versions";

/** A tool that can be used now. */
export interface FoundTool {
    tool: Tool;
    /** program → path. */
    programs: Record<string, string>;
    /** Files and folders that are no programs: name → path. */
    files: Record<string, string>;
    source: SourceName;
    /** Which checksum verified it, or which file it was; "": nothing to report. */
    detail: string;
    /** What the code is, where the tool's version says something else: a build from Go modules, or an archive of such builds. */
    code?: string | undefined;
}

/** A tool whose parts are all in one folder. */
export function foundIn(folder: string, tool: Tool, source: SourceName, detail: string): FoundTool {
    const paths = (names: string[]) => Object.fromEntries(names.map(name => [name, join(folder, name)]));
    return { tool, programs: paths(tool.programs), files: paths(tool.files ?? []), source, detail };
}

/** Why a source did not give the tool. */
export class NotHere extends Error {}

/** The source was asked, and answers that there is no such version. */
export class NoSuchVersion extends NotHere {}

/** What a source would do for a tool. */
export interface Prospect {
    /** False: the source has the tool but would refuse it. */
    usable: boolean;
    detail: string;
    /** As in FoundTool. */
    code?: string | undefined;
}

/** One place where tools come from. */
export interface Source {
    name: SourceName;
    /** `obtain` takes seconds and no network: this source is asked before other sources' cache entries. */
    quick: boolean;
    /** Uses what exists already, in seconds at most and without network; undefined if there is nothing. */
    ready(tool: Tool): Promise<FoundTool | undefined>;
    /** What `obtain` would do, for doctor; undefined if it cannot. No side effects. */
    prospect(tool: Tool): Promise<Prospect | undefined>;
    /** Downloads or builds. Throws NotHere if this source does not have the tool. */
    obtain(tool: Tool): Promise<FoundTool>;
}
