import { existsSync, readdirSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type * as kubernetes from "@pulumi/kubernetes";
import { NfvError } from "../provider/errors";

/** @pulumi/kubernetes, loaded when somebody wants to use it: clusters and Vims do without it. */
export function requireKubernetes(): typeof kubernetes {
    let loaded: typeof kubernetes;
    let version: string;
    try {
        loaded = require("@pulumi/kubernetes");
        version = require("@pulumi/kubernetes/package.json").version;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
        throw missing("npm package @pulumi/kubernetes is not installed", "npm install @pulumi/kubernetes");
    }
    if (!pluginIsThere(version, process.env)) {
        const file = `--file resource-kubernetes-v${version}.tar.gz`;
        throw missing(
            `Pulumi's kubernetes plugin ${version} is not installed, and the environment forbids to fetch it`,
            `pulumi plugin install resource kubernetes ${version} (without Internet: ${file}), or a mirror folder: docs/offline.md`,
        );
    }
    return loaded;
}

/** Where the engine looks for a plugin. If it may fetch one, there is nothing to look for. */
export function pluginIsThere(version: string, env: NodeJS.ProcessEnv): boolean {
    if (!isTrue(env["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"])) return true;
    const home = env["PULUMI_HOME"] ?? path.join(os.homedir(), ".pulumi");
    if (existsSync(path.join(home, "plugins", `resource-kubernetes-v${version}`))) return true;
    if (isTrue(env["PULUMI_IGNORE_AMBIENT_PLUGINS"])) return false;
    return (env["PATH"] ?? "").split(path.delimiter).some(folder => has(folder, "pulumi-resource-kubernetes"));
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
