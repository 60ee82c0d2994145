import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { quote } from "../provider/shell/quote";

/**
 * The Pulumi command line as the Automation API takes it. The API starts only `FOLDER/bin/pulumi`, without arguments of ours in front, but
 * the CLI of the cache lies elsewhere and a lab's must run in the lab's network. So that file is a script that becomes this command.
 */
export async function pulumiLauncher(folder: string, argv: string[]): Promise<PulumiCommand> {
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "bin/pulumi"), `#!/bin/sh\nexec ${quote(argv)} "$@"\n`, { mode: 0o755 });
    return PulumiCommand.get({ root: folder });
}
