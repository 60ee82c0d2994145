import { NfvError } from "../provider/common/errors";
import { cacheProblem, cacheRoot } from "./cache-folder";
import type { FoundTool, Prospect, Source } from "./found";
import { goVersion } from "./go-build";
import { oldestGo } from "./go-groups";
import { newest, whyTooOld } from "./go-version";
import { attempts, lackingInMirror, type ResolveOptions, sources } from "./resolver";
import { hasProgram } from "./run";
import { enabledSources, ignoredMirror, mirrorFolder } from "./settings";
import { type Tool, tool, toolNames, versions } from "./versions";

export interface Finding {
    tool: string;
    version: string;
    /** "installed", "mirror", "download", "modules"; "-" if it is missing. */
    source: string;
    /** Where it is, which checksum verified it, or how to get it. */
    detail: string;
    /** What does not work, if the tool is missing and cannot be obtained. */
    switchesOff?: string;
}

/** Where each tool is, or would come from. Downloads and builds nothing. */
export function examineTools(options: ResolveOptions = {}): Promise<Finding[]> {
    return Promise.all(toolNames.map(name => examine(tool(name), options)));
}

function examine(wanted: Tool, options: ResolveOptions): Promise<Finding> {
    return examineFrom(wanted, sources(options), lackingInMirror(wanted, options.sources));
}

/**
 * Asks as the resolver does, except that nothing is obtained: a source that could have the tool does not end the list.
 * `lacking`: what else to say of a tool that cannot be had.
 */
export async function examineFrom(wanted: Tool, from: Source[], lacking: string | undefined): Promise<Finding> {
    const row = { tool: wanted.title, version: wanted.version };
    const outlook: Prospect[] = [];
    for (const { source, how } of attempts(wanted, from)) {
        const answer = how === "ready" ? await ready(source, wanted) : await source.prospect(wanted);
        if (answer === undefined) continue;
        const isUsed = "source" in answer && !outlook.some(({ usable }) => usable);
        if (isUsed) return { ...row, source: source.name, detail: told(answer) };
        outlook.push("source" in answer ? { ...answer, usable: true } : answer);
        if ("source" in answer) break;
    }
    const possible = outlook.filter(({ usable }) => usable);
    if (possible.length > 0) return { ...row, source: "-", detail: outlook.map(told).join("; else ") };
    const reasons = [...new Set([...outlook.map(told), lacking ?? []].flat())];
    const detail = ["cannot be had", reasons.join("; ")].filter(Boolean).join(": ");
    return { ...row, source: "-", detail, switchesOff: wanted.neededFor };
}

async function ready(source: Source, wanted: Tool): Promise<FoundTool | Prospect | undefined> {
    try {
        return await source.ready(wanted);
    } catch (error) {
        return error instanceof NfvError ? { usable: false, detail: error.reason } : undefined;
    }
}

/**
 * Looks whether all tools can be had, before minutes go into the first one.
 * @throws TOOL_MISSING that names all that cannot
 */
export async function refuseMissing(wanted: Tool[], options: ResolveOptions): Promise<void> {
    const findings = await Promise.all(wanted.map(each => examine(each, options)));
    const missing = findings.filter(({ switchesOff }) => switchesOff !== undefined);
    if (missing.length === 0) return;
    const cause = missing.map(({ tool, version, detail }) => `${tool} ${version} ${detail}`).join("\n");
    throw new NfvError({ code: "TOOL_MISSING", cause });
}

/** Code under a number that is not its own is not reported without saying so. */
function told({ detail, code }: Pick<Prospect, "detail" | "code">): string {
    return code === undefined ? detail : `${detail}: ${code}`;
}

const machinePrograms: Record<string, string> = {
    npm: "installing this package",
    go: "building tools from Go modules",
    gcc: "bundles (the pause image)",
    tar: "unpacking release archives",
    "apt-get": "bundles (files of kube-proxy's image), installing what the lab needs",
    ssh: "bench/ssh",
};

/** The machine's own programs. */
export async function examineMachine(go = goVersion()): Promise<Finding[]> {
    const node: Finding = {
        tool: "node",
        version: process.versions.node,
        source: "installed",
        detail: process.execPath,
    };
    const others = Object.entries(machinePrograms).map(async ([name, need]): Promise<Finding> => {
        if (!(await hasProgram(name))) {
            return { tool: name, version: "", source: "-", detail: "not in PATH", switchesOff: need };
        }
        const version = (name === "go" && (await go)) || "";
        const tooOld = whyTooOld(version, newest(toolNames.flatMap(each => oldestGo(each, versions[each]) ?? [])));
        return {
            ...{ tool: name, version: version.replace("go", ""), source: "installed", detail: tooOld ?? "" },
            ...(tooOld !== undefined && { switchesOff: need }),
        };
    });
    return [node, ...(await Promise.all(others))];
}

/** The report as text. */
export async function doctorReport(): Promise<string> {
    const findings = [...(await examineMachine()), ...(await examineTools())];
    const off = findings.filter(finding => finding.switchesOff);
    return [
        `sources   ${enabledSources().join(", ")}   (PULUMI_NFV_SOURCES)`,
        `mirror    ${mirrorLine()}   (PULUMI_NFV_MIRROR)`,
        `cache     ${cacheLine()}`,
        "",
        ...columns([
            ["tool", "version", "from", ""],
            ...findings.map(row => [row.tool, row.version, row.source, row.detail]),
        ]),
        "",
        ...(off.length === 0
            ? ["Nothing is missing."]
            : [
                  "Missing, and what does not work without it:",
                  ...off.map(row => `    ${row.tool}: ${row.switchesOff}`),
              ]),
    ].join("\n");
}

function mirrorLine(): string {
    const ignored = ignoredMirror();
    return `${mirrorFolder() ?? "none"}${ignored === undefined ? "" : ` (${ignored})`}`;
}

function cacheLine(): string {
    const problem = cacheProblem();
    return problem === undefined
        ? `${cacheRoot()}   (PULUMI_NFV_CACHE)`
        : `cannot be used: ${problem}   (PULUMI_NFV_CACHE)`;
}

function columns(rows: string[][]): string[] {
    const widths = rows[0].map((_, i) => Math.max(...rows.map(row => row[i].length)));
    return rows.map(row =>
        row
            .map((cell, i) => cell.padEnd(widths[i]))
            .join("  ")
            .trimEnd(),
    );
}
