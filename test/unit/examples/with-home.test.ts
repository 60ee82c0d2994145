import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../support/user-project";

const source = join(projectRoot, "examples/pipelines/image/with-home.sh");

describe("the commands of the image for pipelines", () => {
    let folder: string;
    const at = (...names: string[]) => join(folder, ...names);
    const environment = (more: Record<string, string> = {}) => ({
        PATH: process.env["PATH"]!,
        TMPDIR: at("tmp"),
        ...more,
    });

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-home-"));
        for (const name of ["tmp", "opt/pulumi/plugins", "bin", "node_modules/pulumi-nfv/dist/pipeline"])
            mkdirSync(at(name), { recursive: true });
        const text = readFileSync(source, "utf8").replace(/(?<= )\/(opt|node_modules)\//g, `${folder}/$1/`);
        writeFileSync(at("with-home.sh"), text, { mode: 0o755 });
        for (const name of ["pulumi", "nfv", "cli"]) symlinkSync("../with-home.sh", at("bin", name));
        const says = '#!/bin/sh\nprintf "%s\\n" "$*" "$HOME" "$USER" "$PULUMI_HOME"; exit 3\n';
        writeFileSync(at("opt/pulumi/pulumi"), says, { mode: 0o755 });
        const js = 'console.log(["nfv", ...process.argv.slice(2), process.env.PULUMI_HOME].join(" "));';
        writeFileSync(at("node_modules/pulumi-nfv/dist/pipeline/nfv.js"), js);
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it("run in a home of Pulumi that has the image's plugins, also without HOME, and pass words and exit code on", () => {
        const home = at("tmp", `pulumi-home-${process.getuid!()}`);
        for (const name of ["pulumi", "cli"]) {
            const { status, stdout } = spawnSync(at("bin", name), ["up", "--yes"], {
                env: environment(),
                encoding: "utf8",
            });
            deepStrictEqual([status, stdout], [3, `up --yes\n/tmp\nnfv\n${home}\n`]);
        }
        strictEqual(realpathSync(join(home, "plugins")), realpathSync(at("opt/pulumi/plugins")));
        const { stdout } = spawnSync(at("bin/nfv"), ["doctor"], { env: environment(), encoding: "utf8" });
        strictEqual(stdout, `nfv doctor ${home}\n`);
    });

    it("leave a home alone that the user gives with plugins of his own, and complete one without", () => {
        mkdirSync(at("own/plugins"), { recursive: true });
        const given = (name: string) =>
            spawnSync(at("bin/pulumi"), [], {
                env: environment({ PULUMI_HOME: at(name), HOME: "/h" }),
                encoding: "utf8",
            });
        match(given("own").stdout, /^\n\/h\nnfv\n.*\/own\n$/);
        strictEqual(realpathSync(at("own/plugins")), realpathSync(at("own")) + "/plugins");
        strictEqual(given("empty").status, 3);
        strictEqual(realpathSync(at("empty/plugins")), realpathSync(at("opt/pulumi/plugins")));
    });

    it("can start at once", async () => {
        const run = promisify(execFile);
        const all = Array.from({ length: 10 }, () => run(at("bin/nfv"), ["version"], { env: environment() }));
        deepStrictEqual(new Set((await Promise.all(all)).map(({ stdout }) => stdout.split(" ")[0])), new Set(["nfv"]));
    });
});
