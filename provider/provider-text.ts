import type { ResourceTypeName } from "./resources/registry";

/**
 * What is stored as `__provider` in the state of every resource: the text of a module whose handler() gives a dynamic provider.
 * It is written by hand, not serialised from functions, so it is short, captures nothing, and never changes with a compiler. The
 * code always comes from the package as installed for the project.
 *
 * The process that runs it works in the folder of the program (`main` of Pulumi.yaml). It looks for the package
 * 1. there and in all folders above, as Node does; createRequire also finds the project that is the package itself,
 * 2. from the packages that those folders depend on, then from theirs: under pnpm and in nested installations, a package that came with
 *    another one is found from that one only,
 * 3. from the running SDK, beside which pnpm links all packages.
 *
 * Frozen: states of users hold it. What it calls must work for ever. It has no absolute path: the next machine has other folders.
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
