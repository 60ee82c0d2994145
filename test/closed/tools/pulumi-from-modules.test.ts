import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PulumiEnvironment, pulumiEnvironment } from "../../../tools/pulumi-environment";
import { packageRoot } from "../../../tools/settings";
import { versions } from "../../../tools/versions";

const program = `
const pulumi = require("@pulumi/pulumi");
const provider = {
    create: async inputs => ({ id: "one", outs: { text: inputs.text + "!" } }),
    delete: async () => {},
};
class Thing extends pulumi.dynamic.Resource {
    constructor(name, args) {
        super(provider, name, args);
    }
}
exports.text = new Thing("thing", { text: "made" }).text;
`;

/** Without mirror and downloads; takes minutes on a machine without a cache. */
describe("Pulumi built from Go modules", function () {
    this.timeout(40 * 60_000);
    const folder = mkdtempSync(join(tmpdir(), "nfv-closed-"));
    let environment: PulumiEnvironment;

    before(async () => {
        environment = await pulumiEnvironment({
            sources: ["modules"],
            stateFolder: join(folder, "state"),
            onProgress: line => console.log(`    ${line}`),
        });
        const project = join(folder, "project");
        mkdirSync(project);
        symlinkSync(join(packageRoot(), "node_modules"), join(project, "node_modules"));
        writeFileSync(join(project, "index.js"), program);
        writeFileSync(join(project, "package.json"), "{}");
        const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
        writeFileSync(join(project, "Pulumi.yaml"), `name: closed\n${runtime}\n`);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    const pulumi = (...argv: string[]) => {
        const options = { cwd: join(folder, "project"), env: environment.env, encoding: "utf8" } as const;
        const result = spawnSync(environment.pulumi, [...argv, "--non-interactive"], options);
        assert.equal(result.status, 0, `${argv.join(" ")}: ${result.stdout}${result.stderr}`);
        return result.stdout;
    };

    it("is the pinned version", () => {
        assert.equal(pulumi("version").trim(), `v${versions.pulumi}`);
    });

    it("runs a program with a dynamic resource, from nothing to nothing", () => {
        pulumi("stack", "init", "test");
        pulumi("up", "--yes", "--skip-preview");
        assert.deepEqual(JSON.parse(pulumi("stack", "output", "--json")), { text: "made!" });
        pulumi("destroy", "--yes", "--skip-preview");
    });

    it("says of each plugin that it cannot be had, and what needs it", () => {
        assert.deepEqual(environment.plugins, {});
        assert.match(environment.missingPlugins.kubernetes ?? "", /needed for: Cnf[\s\S]*not published/);
    });
});
