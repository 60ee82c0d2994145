import { strict as assert } from "node:assert";
import {
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "../../../dev/process-tree";
import { PulumiProject } from "../../../dev/pulumi-project";
import { type PulumiEnvironment, pulumiEnvironment } from "../../../tools/pulumi-environment";
import { resolveTool } from "../../../tools/resolver";
import { packageRoot } from "../../../tools/settings";
import { versions } from "../../../tools/versions";
import { killProcess } from "../../support/kill-tree";

const folder = mkdtempSync(join(tmpdir(), "nfv-closed-"));
const files = join(folder, "project");

/** Without mirror and downloads; takes minutes on a machine without a cache. */
describe("Pulumi built from Go modules", function () {
    this.timeout(60 * 60_000);
    let environment: PulumiEnvironment;
    let project: PulumiProject;

    before(async () => {
        const state = join(folder, "state");
        const onProgress = (line: string) => console.log(`    ${line}`);
        environment = await pulumiEnvironment({ sources: ["modules"], stateFolder: state, onProgress });
        mkdirSync(join(files, "rendered"), { recursive: true });
        symlinkSync(join(packageRoot(), "node_modules"), join(files, "node_modules"));
        copyFileSync(join(packageRoot(), "test/closed/tools/program.js"), join(files, "index.js"));
        writeFileSync(join(files, "package.json"), "{}");
        const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
        writeFileSync(join(files, "Pulumi.yaml"), `name: closed\n${runtime}\n`);
        const { pulumi, env } = environment;
        project = await PulumiProject.open({ folder: files, pulumi, env, state, stack: "test" });
        await project.setConfig({ text: "made" });
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it("is the pinned version, and says what is not the number's own code", async () => {
        assert.equal((await project.run(["version"])).trim(), `v${versions.pulumi}`);
        assert.match(environment.cli.code ?? "", /the language host is this package's own/);
        const { code } = await resolveTool("plugin-kubernetes", { sources: ["modules"] });
        assert.match(code ?? "", /code of .* under the number 4\.32\.0/);
    });

    it("has the plugins kubernetes and openstack; says of command that it cannot be had, and what needs it", () => {
        const { "plugin-kubernetes": kubernetes, "plugin-openstack": openstack } = versions;
        assert.deepEqual(environment.plugins, { kubernetes, openstack });
        assert.match(environment.missingPlugins.command ?? "", /needed for: the comparison[\s\S]*not published/);
    });

    it("gives the openstack plugin the names of the npm package", async () => {
        const plugin = join(
            environment.env["PULUMI_HOME"]!,
            "plugins",
            `resource-openstack-v${versions["plugin-openstack"]}`,
        );
        const schema = JSON.parse(
            await project.run(["package", "get-schema", join(plugin, "pulumi-resource-openstack")]),
        );
        assert.equal(schema.version, versions["plugin-openstack"]);
        assert.ok(Object.keys(schema.resources).length > 90, `${Object.keys(schema.resources).length}`);
        assert.ok("StackOutputs" in schema.resources["openstack:orchestration/stackV1:StackV1"].properties);
    });

    it("runs a program with hooks, a dynamic resource and an object of Kubernetes by the Automation API", async () => {
        const { stdout, outputs } = await project.stack.up();
        assert.match(stdout, /hook: thing is there/);
        assert.equal(outputs["text"]!.value, "made!");
        const rendered = readdirSync(join(files, "rendered"), { recursive: true, encoding: "utf8" });
        assert.ok(
            rendered.some(file => /configmap.*settings/.test(file)),
            rendered.join(),
        );
        await project.stack.up({ expectNoChanges: true });
        // Rendered objects have no cluster in which a refresh could look.
        await project.stack.refresh({ expectNoChanges: true, target: ["**::thing"] });
    });

    it("takes options for Node.js as a shell does, and refuses options of Pulumi.yaml that are none", async () => {
        const up = ["up", "--yes", "--skip-preview", "--non-interactive"];
        const upWith = async (options: string) => {
            const runtime = `runtime: { name: nodejs, options: { ${options} } }`;
            writeFileSync(join(files, "Pulumi.yaml"), `name: closed\n${runtime}\n`);
            const { code, output } = await project.start(up, () => {}).done;
            return `${code}: ${output}`;
        };
        assert.match(
            await upWith(`typescript: false, nodeargs: '--title="a b" --no-such-option'`),
            /bad option: --no-such-/,
        );
        assert.match(await upWith(`nodeargs: '--title="a b"', typescript: "no"`), /typescript: "no" is no bool/);
        assert.match(await upWith(`packagemanager: curl, typescript: false`), /"curl": auto, npm, pnpm, yarn or bun/);
        assert.match(await upWith(`typescript: false, nodeargs: '--title="a b"'`), /^0: /);
        await upWith("typescript: false");
    });

    it("waits for a create on Ctrl-C, stores it, and leaves no lock", async () => {
        await project.stack.destroy();
        await project.setConfig({ slow: "6" });
        const { run, tree } = await started(/thing.*creating/);
        killProcess(run.pid, "SIGINT");
        const { code, output } = await run.done;
        assert.notEqual(code, 0, output);
        assert.match(await project.exportStack(), /"text": "made!"/);
        await ended(tree, 10);
        await project.setConfig({ slow: "0" });
        await project.up();
    });

    it("leaves neither the host, nor the program, nor what that started, where the CLI is killed", async () => {
        await project.destroy();
        await project.setConfig({ slow: "60", leaves: "true" });
        const { run, tree } = await started(/thing.*creating/);
        const named = (word: string) => tree.filter(pid => commandOf(pid).includes(word));
        const ofHost = [...named("pulumi-language-nodejs"), ...named("cmd/run/index.js"), ...named("sleep 600")];
        assert.equal(ofHost.length, 3, tree.map(commandOf).join("\n"));
        killProcess(run.pid);
        await run.done;
        await ended(ofHost, 10);
        // The plugins are the engine's children, and its lock is still there: as with the official programs.
        for (const pid of tree) killProcess(pid);
        await project.run(["cancel", "--yes"]);
        await project.setConfig({ slow: "0", leaves: "false" });
        await project.up();
    });

    it("ends what it made", async () => {
        await project.destroy();
        const { resources = [] } = JSON.parse(await project.exportStack()).deployment;
        assert.deepEqual(resources, []);
    });

    /** Starts `pulumi up`; returns when its output has this, with all processes of the run. */
    async function started(word: RegExp) {
        const argv = ["up", "--yes", "--skip-preview", "--non-interactive"];
        let output = "";
        let hasEnded = false;
        const run = project.start(argv, text => {
            output += text;
        });
        run.done.finally(() => {
            hasEnded = true;
        });
        for (; !word.test(output); await sleep(50)) assert.ok(!hasEnded, output);
        return { run, tree: treeOf(run.pid) };
    }
});

async function ended(pids: readonly number[], seconds: number): Promise<void> {
    const alive = () => pids.filter(pid => existsSync(`/proc/${pid}`) && commandOf(pid) !== "");
    for (const until = Date.now() + seconds * 1000; alive().length > 0; await sleep(200)) {
        assert.ok(Date.now() < until, `still there after ${seconds} s: ${alive().map(commandOf).join("; ")}`);
    }
}

/** "" of a process that has ended. */
function commandOf(pid: number): string {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ");
    } catch {
        return "";
    }
}
