import type { ResourceTypeName } from "./resources/registry";

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
 * Never change it: states of users contain it, so whatever it calls must work forever. It has no absolute path, because
 * the next machine has other folders.
 */
export function providerText(type: ResourceTypeName): string {
    return `${lookUp}exports.handler = () => load().handler(${JSON.stringify(type)});\n`;
}

const lookUp = `
const fs = require("fs"), { createRequire } = require("module");
function load() {
    const folders = [];
    for (let at = process.cwd(); !folders.includes(at); at = require("path").dirname(at)) folders.push(at);
    const find = at => { try { return at.resolve("pulumi-nfv/provider"); } catch {} };
    for (const folder of folders) {
        const at = createRequire(folder + "/_"), file = find(at);
        if (file) return require(file);
        let own;
        try { own = JSON.parse(fs.readFileSync(folder + "/package.json")); } catch {}
        for (const name in { ...own?.dependencies, ...own?.devDependencies })
            for (const base of at.resolve.paths(name) ?? []) try {
                const real = fs.realpathSync(base + "/" + name);
                if (!folders.includes(real)) folders.push(real);
                break;
            } catch {}
    }
    const file = find(createRequire(process.argv[1]));
    if (file) return require(file);
    throw Error("pulumi-nfv is not installed for " + process.cwd() + ": run npm install pulumi-nfv there");
}
`
    .trimStart()
    .replace(/\n */g, "\n");
