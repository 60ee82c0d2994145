import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { billOfMaterials } from "../../../dev/release/bill-of-materials";
import { run, tryRun } from "../../../tools/run";
import { packedArchive } from "../../support/packed-package";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot } from "../../support/user-project";
import { assertValid, namesOf } from "./bill";

describe("the bill of materials of a release", function () {
    this.timeout(600_000);
    let folder: string;
    before(function () {
        skipIf(this, notBuilt());
        folder = mkdtempSync(join(tmpdir(), "nfv-bill-"));
    });
    after(() => folder && rmSync(folder, { recursive: true, force: true }));

    it("names what npm installs with the archive, each package in its version, and nothing else", async function () {
        const seen = await tryRun(["npm", "view", "yaml", "version"], { cwd: folder });
        skipIf(this, seen.exitCode !== 0 && `npm reaches no registry: ${seen.stderr.slice(-200)}`);
        const { name, devDependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        const archive = await packedArchive(folder);
        const app = join(folder, "app");
        mkdirSync(app);
        writeFileSync(join(app, "package.json"), JSON.stringify({ private: true }));
        const peers = ["@pulumi/pulumi", "@pulumi/kubernetes"].map(peer => `${peer}@${devDependencies[peer]}`);
        const options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        await run(["npm", "install", ...options, archive, ...peers], { cwd: app });
        const bill = await billOfMaterials(projectRoot, { versions: "registry" });
        await assertValid(bill);
        assert.deepEqual(
            namesOf(bill),
            installedIn(join(app, "node_modules")).filter(each => !each.startsWith(`${name}@`)),
        );
    });
});

/** name@version of each package below the folder, sorted. */
function installedIn(modules: string): string[] {
    const found = new Set<string>();
    const look = (folder: string) => {
        for (const { name } of readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())) {
            if (name.startsWith(".")) continue;
            const at = join(folder, name);
            if (name.startsWith("@")) {
                look(at);
                continue;
            }
            const manifest = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
            found.add(`${manifest.name}@${manifest.version}`);
            if (readdirSync(at).includes("node_modules")) look(join(at, "node_modules"));
        }
    };
    look(modules);
    return [...found].sort();
}
