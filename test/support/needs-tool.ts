import { NfvError } from "../../provider/common/errors";
import type { FoundTool } from "../../tools/found";
import { lackingInMirror, resolveTool } from "../../tools/resolver";
import { type ToolName, tool } from "../../tools/versions";
import { skipIf } from "./skip";

/**
 * The tool. Skips the test, or in a hook all tests after it, where it cannot be had. Ask for what no registry has before what can be
 * built: "add-ons", "cluster-api-openstack" and "plugin-command" are in a mirror folder, or nowhere on a machine without Internet.
 */
export async function needsTool(context: Mocha.Context, name: ToolName, version?: string): Promise<FoundTool> {
    const found = await toolOrReason(name, version);
    if (typeof found !== "string") return found;
    skipIf(context, found);
    throw new Error(found);
}

/** The tool, or in one line why it cannot be had and what it is for. */
export async function toolOrReason(name: ToolName, version?: string): Promise<FoundTool | string> {
    try {
        return await resolveTool(name, { version, onProgress: line => console.log(`      ${line}`) });
    } catch (error) {
        const wanted = tool(name, version);
        const lacking = lackingInMirror(wanted);
        // A file that is there and wrong is no reason to skip.
        if (!(error instanceof NfvError) || error.code !== "TOOL_MISSING" || lacking === undefined) throw error;
        return `${lacking} (needed for: ${wanted.neededFor})`;
    }
}
