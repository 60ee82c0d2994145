import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packStaged, stagePackage } from "../../dev/release/stage-package";
import { run } from "../../tools/run";
import { projectRoot } from "./user-project";

/** Makes the archive that users get, in `folder`; returns its path. */
export async function packedArchive(folder: string): Promise<string> {
    const staged = join(folder, "staged");
    await stagePackage(projectRoot, staged);
    return packStaged(staged, folder, join(folder, "npm-cache"));
}

/** Unpacks the archive where npm would install it for a project in `app`. */
export async function unpackInto(archive: string, app: string, name: string): Promise<string> {
    const folder = join(app, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    await run(["tar", "xzf", archive, "-C", folder, "--strip-components=1"]);
    return folder;
}
