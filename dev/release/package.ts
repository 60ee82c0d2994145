import { statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../levels";
import { packStaged, stagePackage } from "./stage-package";

/** npm run package: the archive for users, in the package's folder; what is in it, in dist/package. */
async function main(): Promise<void> {
    const folder = join(projectRoot, "dist/package");
    const files = await stagePackage(projectRoot, folder);
    const archive = await packStaged(folder, projectRoot);
    console.log(`${archive}: ${files.length} files, ${Math.ceil(statSync(archive).size / 1000)} kB`);
}

main().catch(error => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
});
