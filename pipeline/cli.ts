import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { cacheRoot } from "../tools/cache";
import { pulumiEnvironment } from "../tools/pulumi-environment";
import { packageRoot } from "../tools/settings";
import { which } from "../tools/sources/installed";

export interface Cli {
    command: PulumiCommand;
    /** Besides the environment of this process. */
    env: Record<string, string>;
}

export interface CliOptions {
    /** Path of the `pulumi` executable. */
    pulumi?: string | undefined;
    env?: Readonly<Record<string, string>> | undefined;
}

/**
 * The user's own `pulumi`: given, or of the PATH, with the user's login, plugins and settings. Without any: the one that the resolver of
 * this package has, with the plugins of its own, in a home apart.
 */
export async function findCli({ pulumi, env = {} }: CliOptions): Promise<Cli> {
    const own = pulumi ?? (await which("pulumi", env["PATH"] ?? process.env["PATH"]));
    if (own !== undefined) return { command: await launch(own), env: { ...env } };
    const found = await pulumiEnvironment();
    return { command: await launch(found.pulumi), env: { ...found.env, ...env } };
}

async function launch(pulumi: string): Promise<PulumiCommand> {
    const root = join(cacheRoot(), "launchers", createHash("sha256").update(pulumi).digest("hex").slice(0, 12));
    mkdirSync(join(root, "bin"), { recursive: true });
    const draft = `${root}/draft-${randomBytes(6).toString("hex")}`;
    // Other runs may be starting it.
    copyFileSync(join(packageRoot(), "pipeline/launcher.sh"), draft);
    renameSync(draft, join(root, "bin/pulumi"));
    symlinkSync(pulumi, draft);
    renameSync(draft, join(root, "cli"));
    return PulumiCommand.get({ root });
}
