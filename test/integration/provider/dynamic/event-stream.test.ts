import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as ts from "typescript";
import { type SimulatedCluster, simulatedCluster } from "../../../../bench/simulation/simulated-cluster";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot, UserProject } from "../../../support/user-project";

const programs = "test/integration/provider/dynamic";
const canary = "canary-9d2e7b60";

/** What Pulumi prints while it makes a cluster of 1+1: real engine, real SDK (each level its own), simulated machines. */
describe("what Pulumi prints and hands to pipelines", () => {
    let cluster: SimulatedCluster;
    let project: UserProject;

    before(async function () {
        skipIf(this, notBuilt());
        cluster = await simulatedCluster(1, 1);
        project = await UserProject.make("events", `${programs}/event-program.js`);
        project.give({ cluster: cluster.args, canary });
    });

    after(async () => {
        await project?.pulumi.destroy().catch(() => {});
        await cluster?.stop();
        project?.remove();
    });

    const secretLines = (printed: string) =>
        printed.split("\n").filter(line => line.includes("PRIVATE KEY") || line.includes(canary));

    /** The output is complete, and contains neither a private key in any form of quoting nor the canary. */
    function holdsNoSecret(printed: string): void {
        assert.match(printed, /core-w1/);
        const shown = secretLines(printed).map(line =>
            line.replace(/(PRIVATE KEY-----|canary-).*/, "$1…").slice(0, 200),
        );
        assert.deepEqual(shown, []);
    }

    const up = (...args: string[]) =>
        project.pulumi.run(["up", "--yes", "--skip-preview", "--non-interactive", ...args]);

    it("`up --json` has no private key and no password, in debug messages neither", async () => {
        const printed = await up("--json");
        holdsNoSecret(printed);
        assert.match(printed, /RegisterResource RPC finished: resource:core-w1\[/, "the SDK's messages are there");
        assert.match(printed, /a remark of the program/, "and the program's own");
    });

    it("neither have --debug and the log of -v=8 on standard error", async () => {
        holdsNoSecret(await up("-v=8", "--logtostderr", "--debug"));
    });

    it("from -v=9 on the engine itself prints each value that it passes on, as the docs say; nothing else does", async () => {
        const lines = secretLines(await up("-v=9", "--logtostderr", "--debug"));
        const own = /"msg":"(Marshaling|Unmarshaling) property for RPC\[/;
        assert.deepEqual(
            lines.filter(line => !own.test(line)).map(line => line.slice(0, 200)),
            [],
        );
        assert.ok(lines.length > 0, "no longer true: docs/how-it-works.md, Secrets");
        await project.pulumi.destroy();
    });

    it("neither have the Automation API's events: the program of docs/automation-api.md, started from /", async () => {
        const text = readFileSync(join(projectRoot, "docs/automation-api.md"), "utf8");
        const program = /```ts\n([\s\S]*?)```/.exec(text)![1]!;
        const compiled = ts.transpileModule(program, {
            compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
        });
        writeFileSync(join(project.folder, "inline.js"), compiled.outputText);
        // The simulated API keeps the certificate of its first cluster, so another cluster needs new machines.
        await cluster.stop();
        cluster = await simulatedCluster(1, 1);
        writeFileSync(join(project.folder, "cluster.json"), JSON.stringify(cluster.args), { mode: 0o600 });
        const options = { cwd: "/", env: project.pulumi.env, maxBuffer: 1 << 28 };
        const inline = (operation: string) =>
            promisify(execFile)(process.execPath, [join(project.folder, "inline.js"), operation], options).catch(
                error => assert.fail(`${error.message}\n${error.stdout}\n${error.stderr}`),
            );
        assert.match((await inline("up")).stdout, /^succeeded https:/);
        await inline("destroy");
        const events = readFileSync(join(project.folder, "events.jsonl"), "utf8");
        holdsNoSecret(events);
        assert.match(events, /RegisterResource RPC finished: resource:core-w1\[/);
    });
});
