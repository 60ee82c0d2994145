import type { ResourceTypeName } from "./descriptors";

/**
 * The text stored as `__provider` in the state of every resource: a module whose handler() returns a dynamic provider.
 * It is written by hand, not serialised from functions, so it is short, captures nothing, and does not change with a
 * compiler. The code itself always comes from the package as installed for the project.
 *
 * The process that runs the text has the program's folder (`main` of Pulumi.yaml) as working directory. The text looks
 * for the package
 * 1. there and in all parent folders, like Node; createRequire also finds the project that is the package itself,
 * 2. from the packages that those folders depend on, then from their dependencies: with pnpm and in nested
 *    installations, a dependency of another package can only be found from that package,
 * 3. from the running SDK, beside which pnpm links all packages.
 *
 * The text has no absolute path, because the next machine has other folders.
 */
export function providerText(type: ResourceTypeName): string {
    return `${lookUp}exports.handler=()=>require(file).handler('${type}')`;
}

const lookUp = `
const fs = require("fs"), at = require("module").createRequire, all = [],
    find = from => { try { return from.resolve("pulumi-nfv/provider") } catch {} };
let folder = process.cwd(), from, file;
for (; !all.includes(folder); folder = require("path").dirname(folder)) all.push(folder);
for (folder of all) {
    from = at(folder + "/_");
    if (find(from)) break;
    try { file = JSON.parse(fs.readFileSync(folder + "/package.json")) } catch { file = 0 }
    for (const name in { ...file?.dependencies, ...file?.devDependencies })
        for (const base of from.resolve.paths(name) ?? []) try {
            const real = fs.realpathSync(base + "/" + name);
            all.includes(real) || all.push(real);
            break
        } catch {}
}
file = find(from) ?? find(at(process.argv[1]));
if (!file) throw Error("pulumi-nfv is not installed for " + process.cwd() + ": run npm install pulumi-nfv there");
`
    .trim()
    // Each byte is stored twice for each resource, and a double quote is escaped in a state.
    .replace(/\n */g, "")
    .replace(/ ?([=?{}(),;+&|]|:(?! run)) ?/g, "$1")
    .replaceAll('"', "'");
