import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The package's folder, whether the tests run from their sources or from dist/. */
export const projectRoot = rootOf(__dirname);

function rootOf(folder: string): string {
    return existsSync(join(folder, "package.json")) ? folder : rootOf(dirname(folder));
}
