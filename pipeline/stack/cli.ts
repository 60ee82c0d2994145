import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { cacheRoot, inCache } from "../../tools/cache-folder";
import { findPulumi } from "../../tools/pulumi-environment";
import { packageRoot } from "../../tools/settings";

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

export async function findCli({ pulumi, env: given }: CliOptions): Promise<Cli> {
    const { pulumi: path, env } = await findPulumi(pulumi, given);
    return { command: await inCache(() => launch(path)), env };
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
