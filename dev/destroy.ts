import * as fs from "node:fs";
import * as path from "node:path";
import { Lab } from "../lab";
import { demo, demoEnvironment, demoProject, explainLock } from "./demo";
import { phase } from "./progress";

/** `npm run destroy`: the cluster is removed from its machines, then the machines are removed. */
async function main(): Promise<void> {
    if (!Lab.list().includes(demo.lab)) return console.log("There is no demo: nothing to remove.");
    const environment = await demoEnvironment(text => console.log(`  ${text}`));
    const project = await demoProject(environment, Lab.attach(demo.lab));
    const { code, output } = await project.show(["destroy", "--yes", "--skip-preview"]);
    if (code !== 0) {
        explainLock(output);
        throw new Error("pulumi destroy failed; run npm run destroy again when the cause is gone.");
    }
    await project.stack.workspace.removeStack(demo.stack);
    await phase("the demo's machines are removed", () => Lab.remove(demo.lab));
    fs.rmSync(path.dirname(demo.state()), { recursive: true, force: true });
    console.log("Nothing of the demo is left; what was built stays in the cache for the next time.");
}

main().catch(error => {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
});
