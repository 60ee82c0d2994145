import { deepStrictEqual, ok } from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { operationCommands } from "../../../pipeline/commands/commands";
import { allowWords } from "../../../pipeline/plan/operation-names";
import { projectRoot } from "../../support/user-project";

const folder = join(projectRoot, "examples/pipelines");
const script = readFileSync(join(folder, "nfv-pipeline.sh"), "utf8");
const files = (readdirSync(folder, { recursive: true, encoding: "utf8" }) as string[])
    .filter(name => statSync(join(folder, name)).isFile() && !name.startsWith("image/") && !/\.(sh|md)$/.test(name))
    .map(name => ({ name, text: readFileSync(join(folder, name), "utf8") }));

/** Places where a pattern's group is not among what is known. */
const unknown = (pattern: RegExp, known: readonly string[]) =>
    files.flatMap(({ name, text }) =>
        [...text.matchAll(pattern)].filter(([, word]) => !known.includes(word!)).map(([all]) => `${name}: ${all}`),
    );
const seconds = { s: 1, m: 60, h: 3600 } as const;
const inSeconds = (text: string) => Number(text.slice(0, -1)) * seconds[text.at(-1) as "s" | "m" | "h"];

/** The linters of each CI see the same files in test/integration/examples/linters.full.test.ts. */
describe("the examples of pipelines", () => {
    it("call the script by commands that it has, and give it settings that it reads", () => {
        ok(files.length >= 12, `${files.length}`);
        const commands = [...script.matchAll(/^# {3}nfv-pipeline\.sh (\w+)/gm)].map(([, word]) => word!);
        deepStrictEqual(commands, ["plan", "run", "deployed", "heal", "comment"]);
        deepStrictEqual(unknown(/nfv-pipeline\.sh (\w+)/g, commands), []);
        const settings = [...script.matchAll(/^# (NFV_\w+) /gm)].map(([, word]) => word!);
        const ofPipelines = ["NFV_PLAN", "NFV_CHANGES", "NFV_IMAGE", "NFV_HEAL"];
        deepStrictEqual(unknown(/\b(NFV_[A-Z_]+)\b/g, [...settings, ...ofPipelines]), []);
        const read = [...script.matchAll(/\$\{?(NFV_\w+)/g)].map(([, word]) => word!);
        deepStrictEqual([...new Set(read)].sort(), [...settings].sort());
    });

    it("name operations of ETSI and commands and options of nfv that exist", () => {
        const allowed = files.flatMap(({ text }) =>
            [...text.matchAll(/NFV_ALLOW(?:: | = '|\n +value: )([\w,]+)/gi)].flatMap(([, list]) => list!.split(",")),
        );
        ok(allowed.length >= 12);
        deepStrictEqual(
            allowed.filter(name => !(allowWords as readonly string[]).includes(name)),
            [],
        );
        const { commands } = operationCommands();
        const names = commands.map(each => each.name());
        const taken = /^ {4}(up \|.*)\) ;;$/m.exec(script)![1]!.split(" | ");
        deepStrictEqual(
            taken.filter(name => !names.includes(name)),
            [],
        );
        const options = commands.flatMap(each => each.options.map(({ long }) => long!));
        const ofTimeout = ["--foreground", "--preserve-status", "--signal"];
        const known = [...options, ...ofTimeout, "--at-most"];
        const calls = script
            .split("\n")
            .filter(line => /^[^#]*(?:operate|timeout|nfv check|set -- "\$@" --)/.test(line));
        const used = calls.flatMap(line => [...line.matchAll(/ (--[a-z-]+)/g)].map(([, word]) => word!));
        ok(used.length >= 15, used.join());
        deepStrictEqual(
            used.filter(word => !known.includes(word)),
            [],
        );
    });

    it("are YAML where they say so, each document", () => {
        for (const { name, text } of files.filter(each => /\.ya?ml$/.test(each.name)))
            for (const document of parseAllDocuments(text, { logLevel: "silent" }) as { errors: unknown[] }[])
                deepStrictEqual(document.errors, [], name);
    });

    it("heal with the commit that was deployed last, before its packages are installed", () => {
        const timers = files.filter(({ text }) => /nfv-pipeline\.sh heal/.test(text));
        ok(timers.length >= 7, `${timers.length}`);
        for (const { name, text } of timers) {
            const [deployed, heal] = ["deployed", "heal"].map(word => text.indexOf(`nfv-pipeline.sh ${word}`));
            ok(deployed! >= 0 && deployed! < heal!, name);
            const install = text.slice(deployed).indexOf("npm ci");
            ok(install > 0 || name.startsWith("jenkins"), name);
        }
    });

    it("share no group of GitHub's concurrency: it would cancel an approved run that waits", () => {
        const groups = files.flatMap(({ name, text }) =>
            name.startsWith("github/") ? [...text.matchAll(/^ *group: (\S+)/gm)].map(([, group]) => group) : [],
        );
        deepStrictEqual(groups, [...new Set(groups)]);
        ok(!/^ *concurrency:$/m.test(files.find(({ name }) => name === "github/nfv.yml")!.text));
    });

    it("give secrets to merged commits only, or after somebody has looked", () => {
        const github = parse(files.find(({ name }) => name === "github/nfv.yml")!.text);
        for (const [name, job] of Object.entries<Record<string, unknown>>(github.jobs))
            ok(!JSON.stringify(job).includes("secrets.") || job["environment"], name);
        const jenkins = files.find(({ name }) => name === "jenkins/Jenkinsfile")!.text;
        ok(!/changeRequest|BRANCH_NAME|branch '/.test(jenkins));
    });

    it("keep no state on a runner that jobs of branches may use: who can write it can run programs in the next run", () => {
        for (const { name, text } of files.filter(each => /^(github|gitlab)\//.test(each.name)))
            ok(!text.includes("file://"), name);
        const { plan } = parse(files.find(({ name }) => name === "gitlab/gitlab-ci.yml")!.text);
        const ofRequests = plan.rules.filter((rule: { if: string }) => rule.if.includes("merge_request_event"));
        deepStrictEqual(ofRequests, [
            {
                if: '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED == "true"',
            },
        ]);
    });

    it("run the commit that was planned, and not what the branch has by then", () => {
        const github = parse(files.find(({ name }) => name === "github/nfv.yml")!.text);
        deepStrictEqual(github.jobs.run.steps[0].with, { ref: "${{ github.sha }}" });
        const documents = parseAllDocuments(files.find(({ name }) => name === "tekton/pipelines.yaml")!.text);
        const [plan, run] = (documents as { toJS(): any }[]).map(each => each.toJS());
        deepStrictEqual(
            plan.spec.results.find((each: { name: string }) => each.name === "commit")?.value,
            "$(tasks.fetch.results.commit)",
        );
        const [fetch] = run.spec.tasks;
        deepStrictEqual(
            fetch.params.find((each: { name: string }) => each.name === "revision").value,
            "$(params.commit)",
        );
    });

    it("take secrets from the store of the CI, and hold none", () => {
        const secret = /(?:PASSPHRASE|SITE_KEY|TOKEN)["']?(?:: | = |=)(?!\$|["']?\{\{|credentials\()\S/g;
        for (const { name, text } of files) deepStrictEqual(text.match(secret) ?? [], [], name);
    });

    it("stop nfv in order before the CI kills it", () => {
        const limits: [string, RegExp, (text: string) => number][] = [
            ["github/nfv-heal.yml", /timeout-minutes: (\d+)/, Number],
            ["jenkins/Jenkinsfile", /timeout\(time: (\d+), unit: 'MINUTES'/, Number],
            ["tekton/pipelines.yaml", /timeout: (90)m/, Number],
            ["tekton/heal.yaml", /activeDeadlineSeconds: (\d+)/, text => Number(text) / 60],
            ["zuul/zuul.yaml", / timeout: (\d+)/, text => Number(text) / 60],
            ["timer/nfv-heal.service", /TimeoutStartSec=(\d+)min/, Number],
        ];
        const text = (name: string) => files.find(each => each.name === name)!.text;
        for (const [name, pattern, minutes] of limits) {
            const file = name === "tekton/pipelines.yaml" ? "tekton/tasks.yaml" : name;
            const [, inner] = /(?:NFV_TIMEOUT|nfv_timeout)(?:: |=| = '|\n +value: )(\d+[smh])/.exec(text(file))!;
            const outer = minutes(pattern.exec(text(name))![1]!);
            ok(inSeconds(inner!) <= (outer - 5) * 60, `${name}: ${inner} of ${outer} min`);
        }
        // Several jobs in one file: each with its own time-outs.
        for (const name of ["github/nfv.yml", "gitlab/gitlab-ci.yml"]) {
            const outer = [...text(name).matchAll(/timeout(?:-minutes)?: (\d+)/g)].map(([, n]) => Number(n));
            const inner = [...text(name).matchAll(/NFV_TIMEOUT: (\d+)m/g)].map(([, n]) => Number(n));
            ok(outer.length > 1 && outer.length === inner.length, name);
            for (const [i, minutes] of inner.entries()) ok(minutes <= outer[i]! - 5, `${name}: ${minutes}`);
        }
    });
});
