import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, tryRun } from "../../../tools/run";
import { packedArchive } from "../../support/packed-package";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot } from "../../support/user-project";

/** The newest of each, also where its plugin cannot be built from Go modules. TypeScript 7 is refused by @pulumi/pulumi. */
const newer = {
    "@pulumi/pulumi": "3.276.0",
    "@pulumi/kubernetes": "4.34.2",
    "@pulumi/openstack": "3.15.2",
    "@types/node": "24.19.4",
    typescript: "6.0.3",
};

const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, noEmit: true, types: ["node"] },
    ...{ target: "es2023", module: "nodenext", moduleResolution: "nodenext" },
};

describe("our archive beside newer packages and a newer compiler", function () {
    this.timeout(600_000);
    let folder: string;

    before(async function () {
        skipIf(this, notBuilt());
        const seen = await tryRun(["npm", "view", "yaml", "version"]);
        skipIf(this, seen.exitCode !== 0 && `npm reaches no registry: ${seen.stderr.slice(-200)}`);
        folder = mkdtempSync(join(tmpdir(), "nfv-newer-"));
    });
    after(() => {
        if (folder) rmSync(folder, { recursive: true, force: true });
    });

    it("compiles with the programs of both templates and all declarations, each of which is checked", async () => {
        const dependencies = { ...newer, "pulumi-nfv": `file:${await packedArchive(folder)}` };
        const { exports: entries } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        const names = Object.keys(entries).filter(entry => !entry.endsWith(".json"));
        const app = join(folder, "app");
        mkdirSync(app);
        writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, dependencies }));
        writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
        const all = names.map((entry, i) => `export * as part${i} from "${entry.replace(/^\./, "pulumi-nfv")}";`);
        writeFileSync(join(app, "all.ts"), `${all.join("\n")}\n`);
        for (const template of ["nfv-typescript", "nfv-openstack"])
            cpSync(join(projectRoot, "templates", template, "index.ts"), join(app, `${template}.ts`));
        await run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: app });
        const compiled = await tryRun([join(app, "node_modules/.bin/tsc"), "-p", "."], { cwd: app });
        assert.equal(compiled.stdout + compiled.stderr, "");
        assert.equal(compiled.exitCode, 0);
        // The test can fail: what no package has is found.
        writeFileSync(join(app, "wrong.ts"), 'import { Nothing } from "pulumi-nfv";\nexport const x: Nothing = 1;\n');
        assert.match((await tryRun([join(app, "node_modules/.bin/tsc"), "-p", "."], { cwd: app })).stdout, /Nothing/);
    });
});
