import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { PulumiProject } from "../../../dev/pulumi-project";
import { pulumiEnvironment } from "../../../tools/pulumi-environment";
import { packedArchive } from "../../support/packed-package";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot } from "../../support/user-project";

const run = promisify(execFile);
const pnpm = "pnpm@10.34.8";
const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

/** A user's package that wraps ours, as a site with many clusters has it; the application does not depend on ours directly. */
const wrapper = {
    "package.json": JSON.stringify({
        name: "@acme/site",
        version: "1.0.0",
        dependencies: { [manifest.name]: "file:../own.tgz" },
        peerDependencies: { "@pulumi/pulumi": "*" },
    }),
    "index.js": `exports.make = args => new (require("${manifest.name}").KubernetesCluster)("core", args);`,
};

const application = (folder: string) => ({
    "package.json": JSON.stringify({
        private: true,
        dependencies: {
            "@acme/site": "file:../wrapper",
            "@pulumi/pulumi": manifest.devDependencies["@pulumi/pulumi"],
            "@pulumi/kubernetes": manifest.devDependencies["@pulumi/kubernetes"],
        },
    }),
    "Pulumi.yaml": "name: app\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
    "index.js": `const args = JSON.parse(require("node:fs").readFileSync("${folder}/args.json", "utf8"));
exports.nodes = require("@acme/site").make(args).nodes;\n`,
});

/** The shorter test builds these layouts by hand: test/unit/provider/adapters/provider-text.test.ts. */
describe("an application that pnpm installed, with a package around ours", function () {
    this.timeout(600_000);
    let folder: string;
    let cluster: SimulatedCluster;

    function write(name: string, files: Record<string, string>): string {
        const at = join(folder, name);
        mkdirSync(at, { recursive: true });
        for (const [file, text] of Object.entries(files)) writeFileSync(join(at, file), text, { mode: 0o600 });
        return at;
    }

    before(async function () {
        skipIf(this, notBuilt());
        folder = mkdtempSync(join(tmpdir(), "nfv-pnpm-"));
        const fetched = await run("npx", ["-y", pnpm, "--version"], { cwd: folder }).catch((error: Error) => error);
        skipIf(this, fetched instanceof Error && `${pnpm} cannot be had: ${fetched.message.slice(-200)}`);
        renameSync(await packedArchive(folder), join(folder, "own.tgz"));
        write("wrapper", wrapper);
    });

    // New machines for each cluster: the simulated API keeps the certificate of the first authority.
    beforeEach(async () => {
        cluster = await simulatedCluster(1, 1);
        writeFileSync(join(folder, "args.json"), JSON.stringify(cluster.args), { mode: 0o600 });
    });
    afterEach(() => cluster?.stop());

    after(() => {
        if (folder) rmSync(folder, { recursive: true, force: true });
    });

    for (const hoist of [true, false]) {
        it(`makes a cluster and removes it, with hoist=${hoist}`, async () => {
            const app = write(`app-${hoist}`, { ...application(folder), ".npmrc": `hoist=${hoist}\n` });
            await run("npx", ["-y", pnpm, "install", "--ignore-scripts", "--silent"], { cwd: app, maxBuffer: 1 << 26 });
            assert.ok(!existsSync(join(app, "node_modules", manifest.name)), "the application itself does not see it");
            const state = join(app, "state");
            const { pulumi, env } = await pulumiEnvironment({ plugins: [], stateFolder: state });
            const project = await PulumiProject.open({ folder: app, pulumi, env, state, stack: "dev" });
            await project.up();
            assert.deepEqual(JSON.parse(await project.output("nodes")), ["m1", "w1"]);
            await project.destroy();
        });
    }
});
