import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { hasProgram, tryRun } from "../../../tools/run";
import { skipIf } from "../../support/skip";
import { projectRoot } from "../../support/user-project";
import { installed, type Linter, type LinterName, linters } from "./linters";

const below = (folder: string, ends: string) =>
    readdirSync(join(projectRoot, folder))
        .filter(name => name.endsWith(ends))
        .map(name => join(projectRoot, folder, name));
const workflows = [...below("examples/pipelines/github", ".yml"), ...below(".github/workflows", ".yml")];

/** The files of each linter, and a mistake that it must find: what is replaced in the first file that has it. */
const rows: { name: LinterName; files: string[]; mistake: [string | RegExp, string] }[] = [
    { name: "actionlint", files: workflows, mistake: [/needs: \w+/, "needs: nothing"] },
    { name: "githubSchema", files: workflows, mistake: ["runs-on:", "run-on:"] },
    {
        name: "gitlabSchema",
        files: below("examples/pipelines/gitlab", ".yml"),
        mistake: ["when: always", "when: sometimes"],
    },
    { name: "groovy", files: below("examples/pipelines/jenkins", "file"), mistake: ["stages {", "stages ("] },
    {
        name: "tekton",
        files: below("examples/pipelines/tekton", ".yaml").reverse(),
        mistake: ["workspaces:", "workSpaces:"],
    },
    {
        name: "zuul",
        files: below("examples/pipelines/zuul", ".yaml"),
        mistake: ["abstract: true", "abstract: perhaps"],
    },
    {
        name: "ansible",
        files: below("examples/pipelines/zuul/playbooks", ".yaml"),
        mistake: ["ansible.builtin.shell", "shel"],
    },
    {
        name: "systemd",
        files: below("examples/pipelines/timer", "er").concat(below("examples/pipelines/timer", ".service")),
        mistake: ["OnCalendar=*:0/15", "OnCalendar=often"],
    },
];

/** Their smaller counterpart: test/unit/examples/pipelines.test.ts. */
describe("the linters of others find nothing in the examples of pipelines, and in our own workflow", function () {
    this.timeout("10m");
    let scratch: string;
    before(() => {
        scratch = mkdtempSync(join(tmpdir(), "nfv-linters-"));
    });
    after(() => rmSync(scratch, { recursive: true, force: true }));

    for (const { name, files, mistake } of rows) {
        const linter: Linter = linters[name];
        it(`${name}, which finds a mistake`, async function () {
            for (const program of linter.needs) skipIf(this, !(await hasProgram(program)) && `${program} is missing`);
            const folder = await installed(linter);
            assert.ok(files.length > 0);
            const outcome = (of: string[]) => {
                const { argv, env = {} } = linter.command(folder, of);
                return tryRun(argv, { env, timeoutSeconds: 300 });
            };
            const { exitCode, stdout, stderr } = await outcome(files);
            assert.equal(exitCode, 0, `${stdout}\n${stderr}`);
            const mistaken = (file: string) => readFileSync(file, "utf8").replace(mistake[0], mistake[1]);
            // Folders have no order.
            const file = files.find(each => mistaken(each) !== readFileSync(each, "utf8"));
            assert.ok(file, "a file has what is replaced");
            const wrong = join(scratch, basename(file));
            writeFileSync(wrong, mistaken(file));
            assert.notEqual((await outcome([wrong])).exitCode, 0, "the mistake is not found");
        });
    }
});
