import { LocalWorkspace, type LocalWorkspaceOptions, Stack } from "@pulumi/pulumi/automation";

/** What the SDK's own workspace calls; its declarations leave it out. */
interface Command {
    run(argv: string[], folder: string, env: Record<string, string>): Promise<unknown>;
}

/**
 * Opens a stack, and makes it with `create` if it is missing. Unlike the Automation API's own functions it does not select the stack:
 * the selected one decides where the next `pulumi up` of a person goes.
 */
export async function openStack(name: string, create: boolean, options: LocalWorkspaceOptions): Promise<Stack> {
    const workspace = await LocalWorkspace.create(options);
    const run = async (...argv: string[]) => {
        await (workspace.pulumiCommand as unknown as Command).run(argv, workspace.workDir, workspace.envVars);
    };
    workspace.selectStack = stack => run("stack", "--show-name", "--stack", stack);
    workspace.createStack = stack => run("stack", "init", stack, "--no-select");
    return create ? Stack.createOrSelect(name, workspace) : Stack.select(name, workspace);
}
