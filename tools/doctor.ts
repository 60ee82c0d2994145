import { cacheProblem, cacheRoot } from "./cache-folder";
import type { Prospect } from "./found";
import { goVersion } from "./go-build";
import { lackingInMirror, type ResolveOptions, sources } from "./resolver";
import { hasProgram } from "./run";
import { enabledSources, ignoredMirror, mirrorFolder } from "./settings";
import { type Tool, tool, toolNames } from "./versions";

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

async function examine(wanted: Tool, options: ResolveOptions): Promise<Finding> {
    const row = { tool: wanted.title, version: wanted.version };
    const asked = sources(options);
    for (const source of asked) {
        const found = await source.ready(wanted).catch(() => undefined);
        if (found) {
            return { ...row, source: source.name, detail: told(found) };
        }
    }
    const prospects: Prospect[] = [];
    for (const source of asked) {
        const prospect = await source.prospect(wanted);
        if (prospect) prospects.push(prospect);
    }
    const detail = prospects.map(told).join("; else ") || cannotBeHad(wanted, options);
    const usable = prospects.some(prospect => prospect.usable);
    return { ...row, source: "-", detail, ...(!usable && { switchesOff: wanted.neededFor }) };
}

function cannotBeHad(wanted: Tool, options: ResolveOptions): string {
    const lacking = lackingInMirror(wanted, options.sources);
    return lacking === undefined ? "cannot be had" : `cannot be had: ${lacking}`;
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
export async function examineMachine(): Promise<Finding[]> {
    const node: Finding = {
        tool: "node",
        version: process.versions.node,
        source: "installed",
        detail: process.execPath,
    };
    const others = Object.entries(machinePrograms).map(async ([name, need]): Promise<Finding> => {
        const version = name === "go" ? ((await goVersion())?.replace("go", "") ?? "") : "";
        return (await hasProgram(name))
            ? { tool: name, version, source: "installed", detail: "" }
            : { tool: name, version, source: "-", detail: "not in PATH", switchesOff: need };
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
