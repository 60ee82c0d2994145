import { readdirSync, readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NfvError } from "../provider/common/errors";
import { obtain } from "./cache";
import { NoSuchVersion } from "./found";
import type { GoGroup } from "./go-group";
import { heartbeat, type Progress } from "./progress";
import { run, tryRun } from "./run";
import { packageRoot } from "./settings";

/** Uses the installed toolchain only, and keeps the machine's paths out of the result. */
export const environment = {
    CGO_ENABLED: "0",
    GOFLAGS: "-trimpath -buildvcs=false -mod=mod",
    GOTOOLCHAIN: "local",
    GOWORK: "off",
};

/** Everything that decides what a group's module is. */
export function identity(group: GoGroup): unknown {
    const { name, goVersion = "", requires, replaces = [], like = {}, embedded, generated } = group;
    const own = group.sources === undefined ? [] : [ownSources(group), embedded, generated?.file, generated?.package];
    return [name, goVersion, requires, replaces, like, packages(group), ...own];
}

/** Our own Go sources in a group: path → text. */
function ownSources({ sources }: GoGroup): Record<string, string> {
    if (sources === undefined) return {};
    const folder = join(packageRoot(), "tools", "go", sources);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(path => path.endsWith(".go"));
    return Object.fromEntries(files.sort().map(path => [path, readFileSync(join(folder, path), "utf8")]));
}

function packages(group: GoGroup): string[] {
    return Object.values(group.programs).map(program => program.package);
}

/** A package of our own sources is a path in the module, like "." */
const isOwn = (path: string) => path.startsWith(".");

/** The folder of a module ("PATH@VERSION") in Go's own cache. */
export const downloaded = async (module: string, cwd: string): Promise<string> => (await fetched(module, cwd)).Dir;

/** Of module proxies, and of Git where Go asks the repository itself. */
const saysAbsent = /404 Not Found|410 Gone|unknown revision|is not available/;

/** Brings a module into Go's own cache: the paths of its folder and of its go.mod. @throws NoSuchVersion */
async function fetched(module: string, cwd: string): Promise<{ Dir: string; GoMod: string }> {
    const argv = ["go", "mod", "download", "-json", module];
    const { exitCode, stdout, stderr } = await tryRun(argv, { cwd, env: environment });
    if (exitCode === 0) return JSON.parse(stdout);
    const said = errorIn(stdout) ?? stderr.trim();
    if (saysAbsent.test(said)) throw new NoSuchVersion(`Go's module proxy has no ${module}: ${said}`);
    throw new NfvError({
        code: "TOOL_FAILED",
        step: "go mod download",
        cause: `go ended with ${exitCode}: ${said}`,
        output: stdout + stderr,
    });
}

/** The error in Go's JSON, on one line and without the module's name, which the caller says. */
function errorIn(json: string): string | undefined {
    try {
        const text: unknown = JSON.parse(json).Error;
        return typeof text === "string" ? text.replace(/^\S+@\S+: /, "").replace(/\s*\n\s*/g, "; ") : undefined;
    } catch {
        return undefined;
    }
}

/** The module of a group, made ready for builds: requirements resolved, our own sources and what they embed in place. */
export async function moduleFolder(group: GoGroup, go: string, progress: Progress): Promise<string> {
    const request = { group: "go", name: `module-${group.name}`, inputs: [identity(group), go] };
    const build = async (draft: string) => {
        progress(`resolving the Go module of ${group.name}`);
        const stop = heartbeat(progress, `resolving the Go module of ${group.name}`);
        await makeModule(group, draft).finally(stop);
        if (group.generated) await generate(group.generated, group.name, draft, progress);
        return {};
    };
    return (await obtain(request, build, progress)).folder;
}

async function makeModule(group: GoGroup, folder: string): Promise<void> {
    const go = (...argv: string[]) => run(["go", ...argv], { cwd: folder, env: environment, what: `go ${argv[0]}` });
    await go("mod", "init", `example.invalid/${group.name}`);
    const upstream = group.like && (await likeUpstream(group.like, folder, go));
    await go(
        "mod",
        "edit",
        ...group.requires.map(module => `-require=${module}`),
        ...(group.goVersion ? [`-go=${group.goVersion}`] : []),
        ...(group.replaces ?? []).map(replace => `-replace=${replace}`),
        ...(upstream ?? []),
        ...packages(group)
            .filter(path => !isOwn(path))
            .map(path => `-tool=${path}`),
    );
    await placeSources(group, folder);
    await go("mod", "tidy");
}

/** Our own sources, and the files of modules that they embed. */
async function placeSources(group: GoGroup, folder: string): Promise<void> {
    for (const [path, text] of Object.entries(ownSources(group))) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
    }
    const { module, files } = group.embedded ?? { module: "", files: {} };
    const from = module && (await downloaded(module, folder));
    for (const [name, path] of Object.entries(files)) {
        await copyFile(join(from, path), join(folder, name));
        await chmod(join(folder, name), 0o644);
    }
}

async function generate(
    { file, package: path, usualSeconds }: NonNullable<GoGroup["generated"]>,
    name: string,
    folder: string,
    progress: Progress,
): Promise<void> {
    const what = `writing ${file} of ${name}`;
    progress(`${what} (usually ${usualSeconds} s on 2 quiet cores, less if built before)`);
    const stop = heartbeat(progress, what);
    const text = await run(["go", "run", path], { cwd: folder, env: environment, what }).finally(stop);
    await writeFile(join(folder, file), text);
}

interface GoMod {
    Go: string;
    Replace?: { Old: { Path: string }; New: { Path: string; Version?: string } }[];
}

/**
 * Upstream replaces its staging modules by folders of the repository; here the published modules of the same release replace them.
 * The go line also decides the runtime's compatibility settings.
 */
async function likeUpstream(
    like: NonNullable<GoGroup["like"]>,
    cwd: string,
    go: (...argv: string[]) => Promise<string>,
): Promise<string[]> {
    const { GoMod: path } = await fetched(like.module, cwd);
    await readFile(path);
    const upstream: GoMod = JSON.parse(await go("mod", "edit", "-json", path));
    return editsLike(upstream, like.stagingVersion);
}

/** Arguments for `go mod edit`. */
export function editsLike(upstream: GoMod, stagingVersion: string): string[] {
    const staging = (upstream.Replace ?? []).filter(replace => replace.New.Path.startsWith("./staging/"));
    return [
        `-go=${upstream.Go}`,
        `-godebug=default=go${upstream.Go.split(".").slice(0, 2).join(".")}`,
        ...staging.map(({ Old }) => `-replace=${Old.Path}=${Old.Path}@${stagingVersion}`),
    ];
}
