import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { PulumiProject } from "../../../dev/pulumi-project";
import { pulumiEnvironment } from "../../../tools/pulumi-environment";
import { listeningAgent } from "../../support/listening-agent";
import { packedArchive, unpackInto } from "../../support/packed-package";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot } from "../../support/user-project";

const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
const entries = Object.keys(manifest.exports).map(entry => entry.replace(/^\./, manifest.name));

/** Maps without the text of their sources, and code that names a map which is not there. */
function leadingNowhere(files: string[], read: (file: string) => string): string[] {
    return files.filter(file => {
        if (!file.endsWith(".map")) return /\.(js|ts)$/.test(file) && /^\/\/# sourceMappingURL=/m.test(read(file));
        const { sources, sourcesContent } = JSON.parse(read(file));
        return sourcesContent?.length !== sources.length || sourcesContent.some((text: unknown) => !text);
    });
}

/** The archive of `npm run package`, in a project with only the dependencies that package.json declares. */
describe("the packed package", () => {
    let app: string;
    let archive: string;
    let files: string[];
    const installed = (...names: string[]) => join(app, "node_modules", manifest.name, ...names);

    function link(name: string): void {
        mkdirSync(dirname(join(app, "node_modules", name)), { recursive: true });
        symlinkSync(join(projectRoot, "node_modules", name), join(app, "node_modules", name));
    }

    before(async function () {
        skipIf(this, notBuilt());
        app = mkdtempSync(join(tmpdir(), "nfv-packed-"));
        archive = await packedArchive(app);
        await unpackInto(archive, app, manifest.name);
        const declared = { ...manifest.dependencies, ...manifest.peerDependencies, "@types/node": "" };
        for (const name of Object.keys(declared)) link(name);
        files = (readdirSync(installed(), { recursive: true, withFileTypes: true }) as import("node:fs").Dirent[])
            .filter(entry => entry.isFile())
            .map(entry => join(entry.parentPath, entry.name).slice(installed().length + 1));
    });

    after(() => {
        if (app) rmSync(app, { recursive: true, force: true });
    });

    const read = (file: string) => readFileSync(installed(file), "utf8");

    it("has each file that package.json names, and what a reader looks for", () => {
        const targets = (exported: string | object) =>
            typeof exported === "string" ? [exported] : Object.values(exported);
        const named = [
            ...Object.values(manifest.bin),
            ...Object.values(manifest.exports as Record<string, string | object>).flatMap(targets),
            manifest.main,
            manifest.types,
        ] as string[];
        const wanted = ["README", "CHANGELOG", "SECURITY", "CONTRIBUTING", "docs/inputs", "examples/README"].map(
            name => `${name}.md`,
        );
        const missing = [...named, ...wanted, "LICENSE"].filter(file => !existsSync(installed(file)));
        assert.deepEqual(missing, []);
    });

    for (const [folder, kinds, atLeast] of [
        ["provider", /\.(sh|py)$/, 20],
        ["tools", /\.go$/, 10],
    ] as const)
        it(`has each file of ${folder} that the compiler does not copy, and no other source`, () => {
            const names = readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" });
            const wanted = names.filter(name => kinds.test(name)).map(name => `${folder}/${name}`);
            assert.ok(wanted.length > atLeast);
            assert.deepEqual(files.filter(file => file.startsWith(`${folder}/`)).sort(), wanted.sort());
        });

    it("is smaller than 1.2 MB, and has nothing that only its own development needs", () => {
        const { size } = statSync(archive);
        assert.ok(size < 1_200_000, `${size} bytes: look what was added, and whether a user needs it`);
        const own = files.filter(file =>
            /^dist\/(lab|bench|run|test|dev)\/|\.test\.|tsbuildinfo|components\/schema|node_modules|^package-lock|\.tgz$/.test(
                file,
            ),
        );
        assert.deepEqual(own, []);
        const { scripts, devDependencies } = JSON.parse(read("package.json"));
        assert.deepEqual([scripts, devDependencies], [undefined, undefined]);
    });

    it("has no map whose sources are not in it, and no code that names one", () => {
        assert.deepEqual(leadingNowhere(files, read), []);
        const wrong = { "a.js": "//# sourceMappingURL=a.js.map", "b.js.map": '{"sources":["../b.ts"]}' };
        const named = leadingNowhere(Object.keys(wrong), file => wrong[file as keyof typeof wrong]);
        assert.deepEqual(named, ["a.js", "b.js.map"]);
    });

    it("holds no secret and no path of the machine that made it", () => {
        const secret = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}|\b(?:npm_|gh[pousr]_)\w{30}|_authToken/;
        const names = files.filter(file =>
            /(^|\/)(\.npmrc|\.env|id_\w+|.*\.(pem|key|p12)|Pulumi\.\w+\.yaml)$/.test(file),
        );
        assert.deepEqual(names, []);
        const told = files.filter(file => secret.test(read(file)) || read(file).includes(projectRoot));
        assert.deepEqual(told, []);
    });

    it("shows in a stack trace where it was: names of functions and classes, and lines that can be read", async () => {
        assert.ok(read("dist/bundle.js").split("\n").length > 5000);
        const program = `
            const pipeline = require("${manifest.name}/pipeline");
            console.log(require("${manifest.name}").KubernetesCluster.name);
            const broken = { get type() { throw Error("broken"); } };
            try { pipeline.markdownReport([broken]); } catch (error) { console.log(error.stack); }`;
        const { stdout } = await run(process.execPath, ["-e", program], { cwd: app });
        assert.match(stdout, /^KubernetesCluster\nError: broken\n/);
        assert.match(stdout, /at withoutRecognised \(.*dist\/bundle\.js:\d+:\d+\)/);
    });

    it("loads nothing that is neither in it nor declared", () => {
        const { dependencies, peerDependencies } = manifest;
        const known = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), ...builtinModules]);
        // Comes with @pulumi/pulumi, and is used for that SDK's own server.
        known.add("@grpc/grpc-js");
        const unknown: string[] = [];
        const code = files.filter(file => /^dist\/.*\.(js|d\.ts)$/.test(file));
        assert.ok(code.length > 50, `${code.length}`);
        for (const file of code) {
            const text = read(file).replace(/^\s*(\/\/|\/?\*).*$/gm, "");
            for (const [, name] of text.matchAll(/\b(?:require\(|from |import\()["']([\w@./:-]+)["']/g)) {
                const found = name.startsWith(".")
                    ? ["", ".js", ".d.ts", "/index.js", "/index.d.ts"].some(end =>
                          files.includes(join(dirname(file), name) + end),
                      )
                    : known.has(name.replace(/^node:/, "")) ||
                      known.has(
                          name
                              .split("/")
                              .slice(0, name.startsWith("@") ? 2 : 1)
                              .join("/"),
                      );
                if (!found) unknown.push(`${file}: ${name}`);
            }
        }
        assert.deepEqual(unknown, []);
    });

    it("gives every export to CommonJS and to ES modules", async () => {
        writeFileSync(
            join(app, "all.cjs"),
            `for (const entry of ${JSON.stringify(entries)}) console.log(entry, Object.keys(require(entry)).length > 0);`,
        );
        const code = entries.filter(entry => !entry.endsWith(".json"));
        writeFileSync(
            join(app, "all.mjs"),
            code
                .map(
                    (entry, i) =>
                        `import * as m${i} from "${entry}"; console.log("${entry}", Object.keys(m${i}).length > 1);`,
                )
                .join("\n"),
        );
        const lines = (names: string[]) => names.map(name => `${name} true\n`).join("");
        assert.equal((await run(process.execPath, ["all.cjs"], { cwd: app })).stdout, lines(entries));
        assert.equal((await run(process.execPath, ["all.mjs"], { cwd: app })).stdout, lines(code));
    });

    for (const [name, file] of Object.entries(manifest.bin as Record<string, string>)) {
        it(`\`${name}\` runs: its help, its version, what it finds`, async () => {
            const options = { cwd: app, env: { ...process.env, PULUMI_NFV_CACHE: join(app, "cache") } };
            const say = async (...argv: string[]) =>
                (await run(process.execPath, [installed(file), ...argv], options)).stdout;
            assert.match(read(file), /^#!\/usr\/bin\/env node\n/);
            assert.match(await say("help"), new RegExp(`^${name}: `));
            for (const option of ["--version", "-V", "version"])
                assert.equal(await say(option), `${manifest.version}\n`);
            assert.match(await say("doctor"), /Pulumi CLI/);
        });
    }

    it("has types that a strict compiler takes, without skipLibCheck, for each entry, both kinds of modules, and the program of the docs", async () => {
        const code = entries.filter(entry => !entry.endsWith(".json"));
        const text = code.map((entry, i) => `import * as m${i} from "${entry}"; console.log(m${i});`).join("\n");
        for (const file of ["types.cts", "types.mts"]) writeFileSync(join(app, file), text);
        const programs = ["types.cts", "types.mts", "inline.cts"];
        writeFileSync(join(app, "inline.cts"), /```ts\n([\s\S]*?)```/.exec(read("docs/automation-api.md"))![1]!);
        const options =
            "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --module node16 --types node";
        const tsc = resolve(projectRoot, "node_modules/typescript/bin/tsc");
        const { stdout } = await run(process.execPath, [tsc, ...options.split(" "), ...programs], {
            cwd: app,
        }).catch(error => error);
        assert.equal(stdout, "");
    });

    it("has examples that can be copied: each with all files that its own configuration names", () => {
        const folders = readdirSync(installed("examples"), { withFileTypes: true }).filter(
            entry => entry.isDirectory() && entry.name !== "pipelines",
        );
        assert.ok(folders.length >= 5);
        for (const { name } of folders) {
            const { extends: base } = JSON.parse(read(`examples/${name}/tsconfig.json`));
            assert.equal(base, undefined, `${name}: tsconfig.json leads out of the folder`);
            assert.ok(existsSync(installed("examples", name, "Pulumi.yaml")), name);
        }
    });

    it("previews the README's first program", async () => {
        const program = /```ts\n(import [\s\S]*?)```/.exec(read("README.md"))![1]!;
        const socket = join(app, "agent");
        const endAgent = await listeningAgent(socket);
        try {
            const folder = join(app, "site");
            mkdirSync(join(folder, "manifests"), { recursive: true });
            const deployment = {
                apiVersion: "apps/v1",
                kind: "Deployment",
                metadata: { name: "upf" },
                spec: { replicas: 3 },
            };
            writeFileSync(join(folder, "manifests/upf.yaml"), JSON.stringify(deployment));
            writeFileSync(join(folder, "Pulumi.yaml"), "name: site\nruntime: nodejs\n");
            writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "site", private: true }));
            writeFileSync(join(folder, "index.ts"), program);
            for (const name of ["typescript", "ts-node"]) link(name);
            const { pulumi, env } = await pulumiEnvironment({
                plugins: ["kubernetes"],
                stateFolder: join(app, "state"),
            });
            const state = join(app, "state");
            const options = {
                folder,
                pulumi,
                env: { ...env, SSH_AUTH_SOCK: socket, PULUMI_NFV_NO_LOOK: "yes" },
                state,
                stack: "dev",
            };
            const text = await (await PulumiProject.open(options)).preview();
            for (const node of ["m1", "m2", "m3", "w1", "w2"])
                assert.match(text, new RegExp(`nfv:Node core-${node} create`));
            assert.match(text, /\+ \d+ to create/);
        } finally {
            endAgent();
        }
    });
});
