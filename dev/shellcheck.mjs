// Lints all shell scripts of the repository with shellcheck; .shellcheckrc has its settings. Recorded fixtures stay as they are.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const others = new Set([".git", ".pulumi", ".state", "dist", "fixtures", "mirror", "node_modules"]);

function filesBelow(folder) {
    return readdirSync(folder, { withFileTypes: true })
        .filter(entry => !others.has(entry.name))
        .flatMap(entry => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}

const isScript = file => file.endsWith(".sh") || (!/\.\w+$/.test(file) && /^#!.*sh$/m.test(readFileSync(file, "utf8").slice(0, 40)));
const scripts = filesBelow(root).filter(isScript).map(file => relative(root, file));
const { status, error } = spawnSync("shellcheck", scripts, { cwd: root, stdio: "inherit" });
if (error?.code === "ENOENT") console.error("error: shellcheck is missing. As root: apt-get install shellcheck, or see https://www.shellcheck.net");
else if (error) console.error(`error: shellcheck: ${error.message}`);
process.exit(status ?? 1);
