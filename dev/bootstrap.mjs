// First thing that runs in a fresh clone: needs nothing but Node and npm. Brings node_modules and dist up to date
// (each only when its inputs changed), then hands over to the compiled program named by the first argument.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sourceFolders = ["provider", "components", "testing", "tools", "pipeline", "lab", "bench", "dev", "test", "examples"];

function fail(message) {
    console.error(`error: ${message}`);
    process.exit(1);
}

function step(title, stamp, key, command, args) {
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
    const started = Date.now();
    console.log(`» ${title} …`);
    const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    if (result.status !== 0) fail(`${title}: "${command} ${args.join(" ")}" ended with ${result.status ?? result.error}`);
    writeFileSync(stamp, key);
    console.log(`» ${title}: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function sources(folder) {
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { withFileTypes: true })
        .filter(entry => entry.name !== "node_modules")
        .flatMap(entry =>
            entry.isDirectory() ? sources(join(folder, entry.name)) : entry.name.endsWith(".ts") ? [join(folder, entry.name)] : [],
        );
}

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`Node ${process.versions.node} is too old: 20.19 or newer is needed`);

const hash = (...parts) => createHash("sha256").update(parts.join("\0")).digest("hex");
const lock = readFileSync(join(root, "package-lock.json"), "utf8");
step("install npm packages", join(root, "node_modules/.pulumi-nfv-stamp"), hash(lock), "npm", [
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
]);
const newest = sourceFolders
    .flatMap(folder => sources(join(root, folder)))
    .map(file => `${file}:${statSync(file).mtimeMs}`)
    .join("\n");
const tsconfig = readFileSync(join(root, "tsconfig.json"), "utf8");
const built = join(root, "dist/.built");
step("compile", built, hash(lock, tsconfig, newest), process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."]);

const [program, ...rest] = process.argv.slice(2);
const child = spawn(process.execPath, [join(root, "dist", `${program}.js`), ...rest], { cwd: root, stdio: "inherit" });
// Ctrl-C reaches the child itself. npm that is killed passes nothing on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const parent = process.ppid;
setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 1000).unref();
child.on("error", error => fail(error.message));
child.on("exit", code => process.exit(code ?? 1));
