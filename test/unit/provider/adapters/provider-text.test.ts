import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { providerText } from "../../../../provider/adapters/provider-text";

/** Loads the text as the SDK's process does (cmd/dynamic-provider with require-from-string), and prints whose code it got. */
const sdk = `
const Module = require("module");
const module_ = new Module("");
module_.filename = "";
module_.paths = Module._nodeModulePaths(".");
module_._compile(require("fs").readFileSync(0, "utf8"), "");
console.log(module_.exports.handler());
`;

const own = { name: "pulumi-nfv", exports: { "./provider": "./provider.js", "./package.json": "./package.json" } };
const provider = 'exports.handler = type => `${type} of ${require("./package.json").version}`;';
const store = "node_modules/.pnpm";

/** Files by path; a text that begins with "-> " is a link to that path. */
type Layout = Record<string, string>;

const dependsOn = (...names: string[]) =>
    JSON.stringify({ dependencies: Object.fromEntries(names.map(name => [name, "*"])) });
const installed = (folder: string, version = "1.0.0"): Layout => ({
    [`${folder}/package.json`]: JSON.stringify({ ...own, version }),
    [`${folder}/provider.js`]: provider,
});
const sdkIn = (folder: string): Layout => ({ [`${folder}/@pulumi/pulumi/cmd/dynamic-provider/index.js`]: sdk });

/** pnpm's layout: each package beside its own dependencies only; with `hoist` all of them also below .pnpm/node_modules. */
const pnpm = ({ hoist }: { hoist: boolean }): Layout => ({
    "package.json": dependsOn("@pulumi/pulumi", "@acme/site"),
    ...sdkIn(`${store}/@pulumi+pulumi@3/node_modules`),
    ...installed(`${store}/pulumi-nfv@1/node_modules/pulumi-nfv`),
    [`${store}/@acme+site@1/node_modules/@acme/site/package.json`]: dependsOn("pulumi-nfv"),
    [`${store}/@acme+site@1/node_modules/pulumi-nfv`]: `-> ${store}/pulumi-nfv@1/node_modules/pulumi-nfv`,
    "node_modules/@pulumi/pulumi": `-> ${store}/@pulumi+pulumi@3/node_modules/@pulumi/pulumi`,
    "node_modules/@acme/site": `-> ${store}/@acme+site@1/node_modules/@acme/site`,
    ...(hoist && { [`${store}/node_modules/pulumi-nfv`]: `-> ${store}/pulumi-nfv@1/node_modules/pulumi-nfv` }),
});

const npm: Layout = {
    "package.json": dependsOn("pulumi-nfv"),
    ...sdkIn("node_modules"),
    ...installed("node_modules/pulumi-nfv"),
};

/** Working directory of the process → files. */
const layouts: Record<string, { at?: string; files: Layout; version?: string }> = {
    "npm, in the project's folder": { files: npm },
    "npm, in the folder of `main`": { at: "build/src", files: { ...npm, "build/src/index.js": "" } },
    "npm's workspaces: all packages at the top": {
        at: "apps/core",
        files: { ...npm, "package.json": "{}", "apps/core/package.json": dependsOn("pulumi-nfv") },
    },
    "a workspace's member with a version of its own": {
        at: "apps/core",
        files: { ...npm, ...installed("apps/core/node_modules/pulumi-nfv", "2.0.0") },
        version: "2.0.0",
    },
    "the package's own examples": {
        at: "examples/core",
        files: { ...sdkIn("node_modules"), ...installed("."), "examples/core/index.js": "" },
    },
    "nested: the package lies below the package that wants it, two levels down": {
        files: {
            ...sdkIn("node_modules"),
            "package.json": dependsOn("@acme/site"),
            "node_modules/@acme/site/package.json": dependsOn("not-there", "base"),
            "node_modules/@acme/site/node_modules/base/package.json": dependsOn("pulumi-nfv", "@acme/site"),
            ...installed("node_modules/@acme/site/node_modules/base/node_modules/pulumi-nfv"),
        },
    },
    "pnpm with a package that wants ours": { files: pnpm({ hoist: true }) },
    "pnpm with hoist=false": { files: pnpm({ hoist: false }) },
    "pnpm with a dependency that package.json does not name": {
        files: { ...pnpm({ hoist: true }), "package.json": "{}" },
    },
    "pnpm's workspaces: the package that wants ours is a folder of the same repository": {
        at: "apps/core",
        files: {
            ...pnpm({ hoist: false }),
            "package.json": "{}",
            "apps/core/package.json": JSON.stringify({ devDependencies: { "@acme/base": "workspace:*" } }),
            "apps/core/node_modules/@acme/base": "-> packages/base",
            "packages/base/package.json": dependsOn("pulumi-nfv"),
            "packages/base/node_modules/pulumi-nfv": `-> ${store}/pulumi-nfv@1/node_modules/pulumi-nfv`,
        },
    },
    "installed under another name": {
        files: {
            ...sdkIn("node_modules"),
            "package.json": JSON.stringify({ dependencies: { nfv: "npm:pulumi-nfv@1" } }),
            ...installed("node_modules/nfv"),
        },
    },
    "a package.json that cannot be read, on the way": { at: "build", files: { ...npm, "build/package.json": "{" } },
};

describe("where the text in states finds the package", () => {
    let root: string;

    beforeEach(() => {
        root = realpathSync(mkdtempSync(join(tmpdir(), "nfv-layout-")));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    function lay(files: Layout): void {
        for (const [name, text] of Object.entries(files)) {
            const file = join(root, name);
            mkdirSync(dirname(file), { recursive: true });
            if (text.startsWith("-> ")) symlinkSync(join(root, text.slice(3)), file);
            else writeFileSync(file, text);
        }
    }

    /** The SDK's file is given with its real path, as its launcher does it. */
    function run(at = ".", env: NodeJS.ProcessEnv = {}) {
        const script = realpathSync(join(root, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js"));
        return spawnSync(process.execPath, [script, "127.0.0.1:1"], {
            cwd: at === "/" ? at : join(root, at),
            env: { PATH: process.env["PATH"], ...env },
            input: providerText("Host"),
            encoding: "utf8",
        });
    }

    for (const [title, { at, files, version = "1.0.0" }] of Object.entries(layouts)) {
        it(title, () => {
            lay(files);
            const { stdout, stderr } = run(at);
            assert.equal(stdout, `Host of ${version}\n`, stderr);
        });
    }

    it("an inline program that was started from /: beside the SDK that runs, or in NODE_PATH", () => {
        lay(npm);
        assert.equal(run("/").stdout, "Host of 1.0.0\n");
        lay({ "elsewhere/node_modules/@pulumi/pulumi": "-> node_modules/@pulumi/pulumi" });
        lay(installed("elsewhere/pulumi-nfv", "3.0.0"));
        rmSync(join(root, "node_modules/pulumi-nfv"), { recursive: true });
        assert.equal(run("/", { NODE_PATH: join(root, "elsewhere") }).stdout, "Host of 3.0.0\n");
    });

    it("nowhere: says what to install, and where", () => {
        lay({ ...sdkIn("node_modules"), "package.json": dependsOn("@acme/site") });
        const { stderr } = run();
        assert.match(
            stderr,
            new RegExp(`Error: pulumi-nfv is not installed for ${root}: run npm install pulumi-nfv there`),
        );
    });

    it("a package that is there but broken is not passed over: its own error is shown", () => {
        lay({ ...npm, "node_modules/pulumi-nfv/provider.js": 'require("ssh2-is-missing")' });
        assert.match(run().stderr, /Cannot find module 'ssh2-is-missing'/);
    });
});
