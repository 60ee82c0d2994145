import { existsSync, readdirSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { filterLoadedSdks } from "../../provider/adapters/sdk-debug";
import { NfvError } from "../../provider/common/errors";

/** Pulumi's packages that only some programs need. */
export type PluginPackage = "kubernetes" | "openstack";

/** `@pulumi/<name>`, loaded at its first use, and its version. */
export function requirePackage<T>(name: PluginPackage): { loaded: T; version: string } {
    const { loaded, version } = found.get(name) ?? load(name);
    if (!pluginIsThere(name, version, process.env)) {
        const file = `--file resource-${name}-v${version}.tar.gz`;
        throw missing(
            `Pulumi's ${name} plugin ${version} is not installed, and the environment forbids to fetch it`,
            `pulumi plugin install resource ${name} ${version} (without Internet: ${file}), or a mirror folder: docs/offline.md`,
        );
    }
    return { loaded: loaded as T, version };
}

interface Found {
    loaded: unknown;
    version: string;
}

const found = new Map<PluginPackage, Found>();

function load(name: PluginPackage): Found {
    let loaded: unknown;
    let version: string;
    try {
        loaded = require(`@pulumi/${name}`);
        // @pulumi/openstack writes its version as "v3.15.2".
        version = require(`@pulumi/${name}/package.json`).version.replace(/^v/, "");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
        throw missing(`npm package @pulumi/${name} is not installed`, `npm install @pulumi/${name}`);
    }
    filterLoadedSdks();
    found.set(name, { loaded, version });
    return { loaded, version };
}

/** Whether the engine will find a plugin. True without a search if it may download plugins. */
export function pluginIsThere(name: PluginPackage, version: string, env: NodeJS.ProcessEnv): boolean {
    if (!isTrue(env["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"])) return true;
    const home = env["PULUMI_HOME"] ?? path.join(os.homedir(), ".pulumi");
    if (existsSync(path.join(home, "plugins", `resource-${name}-v${version}`))) return true;
    if (isTrue(env["PULUMI_IGNORE_AMBIENT_PLUGINS"])) return false;
    return (env["PATH"] ?? "").split(path.delimiter).some(folder => has(folder, `pulumi-resource-${name}`));
}

function has(folder: string, file: string): boolean {
    try {
        return readdirSync(folder).includes(file);
    } catch {
        return false;
    }
}

function isTrue(text: string | undefined): boolean {
    return text === "true" || text === "1";
}

function missing(cause: string, hint: string): NfvError {
    return Object.assign(new NfvError({ code: "TOOL_MISSING", cause, hint }), { __pulumiRunError: true });
}
