import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "../../../support/user-project";

interface Job {
    needs?: string[];
    "runs-on": string | string[];
    permissions?: Record<string, string>;
    environment?: string;
    "timeout-minutes"?: number;
    steps: { run?: string; uses?: string; with?: Record<string, unknown> }[];
}

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");
const text = read(".github/workflows/release.yml");
const workflow = parse(text) as { on: object; permissions: object; jobs: Record<string, Job> };
const commandsOf = (job: string) => workflow.jobs[job]!.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

/** GitHub's linters see it in test/integration/examples/linters.full.test.ts. No server has run it. */
describe("the workflow that makes a release", () => {
    it("starts at a tag of a version, and at nothing else", () => {
        deepStrictEqual(workflow.on, { push: { tags: ["v[0-9]+.[0-9]+.[0-9]+*"] } });
    });

    it("publishes only after the tests, and after the tag was compared with package.json and the changelog", () => {
        deepStrictEqual(workflow.jobs["publish"]!.needs, ["test", "package"]);
        strictEqual(commandsOf("test").at(-1), "npm test --silent");
        for (const job of ["test", "package"])
            strictEqual(commandsOf(job)[0], 'node dev/release/check-release.mjs "$GITHUB_REF_NAME"', job);
    });

    it("gives the right to publish to one job, on GitHub's runner, which runs nothing of the repository, and needs no token", () => {
        const { publish, ...others } = workflow.jobs;
        deepStrictEqual(workflow.permissions, { contents: "read" });
        for (const [name, job] of Object.entries(others)) strictEqual(job.permissions, undefined, name);
        deepStrictEqual(publish!.permissions, { contents: "write", "id-token": "write" });
        strictEqual(publish!["runs-on"], "ubuntu-latest");
        strictEqual(publish!.environment, "release");
        ok(!publish!.steps.some(({ uses }) => uses?.startsWith("actions/checkout@")));
        ok(!/npm (ci|run|install)\b/.test(commandsOf("publish").join("\n")));
        ok(!/secrets\./.test(text));
        ok(
            /npm publish \.\/release\/pulumi-nfv-\*\.tgz --provenance .*--ignore-scripts/.test(
                commandsOf("publish").join("\n"),
            ),
        );
    });

    it("attaches the archive and the bill of materials, and calls scripts that exist", () => {
        const { scripts } = JSON.parse(read("package.json"));
        const called = [...text.matchAll(/npm run (\w+)/g)].map(([, name]) => name!);
        deepStrictEqual(called, ["package", "sbom"]);
        for (const name of called) ok(name in scripts, name);
        ok(commandsOf("package").some(each => each.includes("dist/pulumi-nfv-*.cdx.json")));
        ok(commandsOf("publish").some(each => /gh release create[\s\S]* release\/pulumi-nfv-\*/.test(each)));
    });

    it("leaves no credential in a folder, and lets no job run for ever", () => {
        for (const [name, { steps, ...job }] of Object.entries(workflow.jobs)) {
            ok(job["timeout-minutes"], name);
            for (const step of steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")))
                strictEqual(step.with?.["persist-credentials"], false, name);
        }
    });
});
