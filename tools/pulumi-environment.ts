import { createHash, randomBytes } from "node:crypto";
import { chmod, copyFile, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { NfvError } from "../provider/common/errors";
import { cacheRoot, inCache } from "./cache-folder";
import type { FoundTool } from "./found";
import { nodeProgram } from "./node-version";
import { type ResolveOptions, resolveTool } from "./resolver";
import { which } from "./sources/installed";
import type { PluginName } from "./versions";

export interface PulumiEnvironmentOptions extends Pick<ResolveOptions, "sources" | "onProgress"> {
    /** Wanted plugins. One that cannot be obtained is in `missingPlugins`, with the reason. @default all three */
    plugins?: PluginName[];
    /** Folder for the state of stacks; made if needed. @default PULUMI_BACKEND_URL as it is, else a folder in the cache */
    stateFolder?: string;
    /** Major version of Node.js for programs: "22", "24". @default the version that runs this */
    nodeVersion?: string;
}

export interface PulumiEnvironment {
    /** The whole environment for a child process. */
    env: Record<string, string>;
    /** Path of the CLI. */
    pulumi: string;
    /** Where the CLI and its language host came from. */
    cli: FoundTool;
    /** Available plugins: name → version. */
    plugins: Partial<Record<PluginName, string>>;
    /** Plugins that cannot be obtained: name → reason. */
    missingPlugins: Partial<Record<PluginName, string>>;
}

const everyPlugin: PluginName[] = ["kubernetes", "command", "openstack"];

/** Makes the CLI work without network: no version checks, no downloads, no questions. */
const offline = {
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    PULUMI_CREDENTIAL_STORE: "plaintext",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_DISABLE_CI_DETECTION: "true",
};

/** The Pulumi CLI with language host and plugins, ready to run in the returned environment. */
export async function pulumiEnvironment(options: PulumiEnvironmentOptions = {}): Promise<PulumiEnvironment> {
    const resolveOptions = { sources: options.sources, onProgress: options.onProgress };
    const cli = await resolveTool("pulumi", resolveOptions);
    const found: FoundTool[] = [];
    const missingPlugins: PulumiEnvironment["missingPlugins"] = {};
    for (const name of options.plugins ?? everyPlugin) {
        try {
            found.push(await resolveTool(`plugin-${name}`, resolveOptions));
        } catch (error) {
            if (!(error instanceof NfvError) || error.code !== "TOOL_MISSING") {
                throw error;
            }
            missingPlugins[name] = error.reason;
        }
    }
    const home = await inCache(() => pulumiHome(found));
    const stateFolder =
        options.stateFolder ?? (process.env.PULUMI_BACKEND_URL ? undefined : join(cacheRoot(), "state"));
    if (stateFolder) {
        await inCache(() => mkdir(stateFolder, { recursive: true }));
    }
    const node = options.nodeVersion && (await nodeProgram(options.nodeVersion, options.onProgress));
    const folders = [node ? dirname(node) : undefined, dirname(cli.programs.pulumi), process.env.PATH];
    return {
        env: {
            ...definedOnly(process.env),
            PULUMI_CONFIG_PASSPHRASE: process.env.PULUMI_CONFIG_PASSPHRASE ?? "",
            ...offline,
            ...(stateFolder ? { PULUMI_BACKEND_URL: pathToFileURL(stateFolder).href } : {}),
            PULUMI_HOME: home,
            PATH: folders.filter(Boolean).join(delimiter),
        },
        pulumi: cli.programs.pulumi,
        cli,
        plugins: Object.fromEntries(found.map(({ tool }) => [tool.name.replace("plugin-", ""), tool.version])),
        missingPlugins,
    };
}

/**
 * The user's own `pulumi`: given, or of the PATH, with the user's login, plugins and settings. Without any: the one that the resolver of
 * this package has, with the plugins of its own, in a home apart. `env`: besides the environment of this process.
 */
export async function findPulumi(given?: string, env: Readonly<Record<string, string>> = {}) {
    const own = given ?? (await which("pulumi", env["PATH"] ?? process.env.PATH));
    if (own !== undefined) return { pulumi: own, env: { ...env } };
    const found = await pulumiEnvironment();
    return { pulumi: found.pulumi, env: { ...found.env, ...env } };
}

/** A separate home for each set of plugins, because a run without plugins must not see those of another run. */
async function pulumiHome(plugins: FoundTool[]): Promise<string> {
    const paths = plugins.flatMap(found => Object.values(found.programs)).sort();
    const hash = createHash("sha256").update(paths.join("\n")).digest("hex").slice(0, 12);
    const home = join(cacheRoot(), "pulumi-home", hash);
    await mkdir(join(home, "plugins"), { recursive: true });
    await Promise.all(plugins.map(plugin => placePlugin(home, plugin)));
    return home;
}

/** Same layout as `pulumi plugin install --file`: PLUGINS/resource-NAME-vVERSION/pulumi-resource-NAME. */
async function placePlugin(home: string, { tool, programs }: FoundTool): Promise<void> {
    const [[program, source]] = Object.entries(programs);
    const folder = join(home, "plugins", `${program.replace("pulumi-", "")}-v${tool.version}`);
    const sizes = await Promise.all(
        [source, join(folder, program)].map(path =>
            stat(path).then(
                ({ size }) => size,
                () => -1,
            ),
        ),
    );
    if (sizes[0] === sizes[1]) {
        return;
    }
    const draft = `${folder}.draft-${randomBytes(4).toString("hex")}`;
    await mkdir(draft);
    await link(source, join(draft, program)).catch(() => copyFile(source, join(draft, program)));
    await chmod(join(draft, program), 0o755);
    await rm(folder, { recursive: true, force: true });
    // Two processes may do this at once; both place the same file.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
    await rm(`${folder}.partial`, { force: true });
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
    return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
