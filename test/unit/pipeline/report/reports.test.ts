import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { PipelineEvent } from "../../../../pipeline/events/events";
import type { Plan } from "../../../../pipeline/plan/plan";
import { checkJunit, junitReport } from "../../../../pipeline/report/junit";
import { markdownLimit, markdownReport } from "../../../../pipeline/report/markdown";
import { checkSarif, sarifReport } from "../../../../pipeline/report/sarif";
import { lineOf, messageText, planText } from "../../../../pipeline/report/text";

const time = "2026-11-27T00:00:00.000Z";
const plan = (nodes: number, text = "scale out workers +1 (w1)"): Plan => ({
    ...{
        stack: "dev",
        groups: {},
        wanted: {},
        resources: [],
        warnings: ["core: a certificate ends soon"],
        hash: "0123456789abcdef01234567",
    },
    operations: [{ cluster: "core", names: ["scale"], text }],
    nodes: Array.from({ length: nodes }, (_, i) => ({
        ...{ cluster: "core", node: `w${i + 1}`, group: "workers", change: "changes" as const },
        steps: [
            { title: "apply kubelet settings", fingerprint: "a" },
            { title: "set labels and taints", fingerprint: "b" },
        ],
        disruptions: ["kubelet restarts: pods go on"],
    })),
});
const planned = (...its: Parameters<typeof plan>): PipelineEvent[] => [{ type: "plan", time, plan: plan(...its) }];
const error = (text: string): PipelineEvent => ({
    type: "error",
    time,
    code: "STEP_FAILED",
    node: "w1",
    step: "join",
    text,
    hint: "Run it again.",
});

describe("the report for a pull request", () => {
    it("has the operation, a row for each node, the warnings and the hash", () => {
        const text = markdownReport(planned(2));
        assert.match(text, /^### pulumi-nfv: preview: core: scale out workers \+1 \(w1\)\n/);
        assert.match(
            text,
            /\| core\/w1, w2 \| workers \(2\) \| apply kubelet settings, set labels and taints \| kubelet restarts: pods go on \|/,
        );
        assert.match(text, /⚠️ core: a certificate ends soon/);
        assert.match(text, /`0123456789abcdef01234567`\n$/);
    });

    it("of a chain of upgrades says how far each version is, and what follows", () => {
        const version = (number: number, state: "begin" | "end" | "failed") =>
            ({
                type: "version",
                time: "2026-11-27T10:00:00.000Z",
                version: `1.3${3 + number}.4`,
                number,
                of: 2,
                state,
            }) as const;
        const text = markdownReport([
            version(1, "begin"),
            version(1, "end"),
            version(2, "begin"),
            version(2, "failed"),
        ]);
        assert.match(
            text,
            /- Kubernetes 1\.34\.4 \(1 of 2\): done, the cluster is well\n- Kubernetes 1\.35\.4 \(2 of 2\): failed/,
        );
        const [first] = planned(1).filter(event => event.type === "plan");
        const then = markdownReport([{ ...first!, plan: { ...first!.plan, followedBy: ["1.35.4"] } }]);
        assert.match(then, /Then Kubernetes 1\.35\.4, with a plan of its own\./);
    });

    it("of a run that failed names node, step, code and hint", () => {
        const text = markdownReport([...planned(1), error("exit code 3")]);
        assert.match(text, /❌ failed/);
        assert.match(text, /\*\*w1: join: STEP\\_FAILED\*\*/);
        assert.match(text, /exit code 3[\s\S]*Run it again\./);
    });

    it("says which hooks ran, how long, and what their scripts printed, without effect as Markdown", () => {
        const hook: PipelineEvent = {
            ...{ type: "hook", time, cluster: "core", hook: "audit", event: "scale_end", state: "done", seconds: 72 },
            output: "m1: 128 rules\n```<b>",
        };
        const text = markdownReport([...planned(1), hook]);
        assert.match(
            text,
            /- hook \*\*audit\*\* \(scale\\_end\): done \(1 min 12 s\)\n\n {2}````text\n {2}m1: 128 rules\n {2}```<b>\n {2}````\n/,
        );
        assert.match(markdownReport([{ ...hook, state: "failed" }]), /: ❌ failed \(1 min 12 s\)/);
    });

    it("of a run that was stopped says so: nothing is broken", () => {
        const stopped: PipelineEvent = { ...error("the run was stopped"), code: "CANCELLED" } as PipelineEvent;
        assert.match(markdownReport([...planned(1), stopped]), /^### pulumi-nfv: ⏹ stopped/);
        assert.match(markdownReport([...planned(1), stopped, error("exit code 3")]), /❌ failed/);
    });

    it("of a run that a guard refused says that nothing was changed; of one that had begun, that it failed", () => {
        const refused: PipelineEvent = { ...error("scale in workers"), code: "GUARD_REFUSED" } as PipelineEvent;
        assert.match(
            markdownReport([...planned(1), refused]),
            /^### pulumi-nfv: ⛔ refused, nothing was changed: core: scale out/,
        );
        const hint = "Nothing was changed, neither machines nor configuration. Look at the plan.";
        const once = markdownReport([...planned(1), { ...refused, hint } as PipelineEvent]);
        assert.equal(once.match(/nothing was changed/gi)?.length, 1, "said once");
        const acted: PipelineEvent = {
            type: "summary",
            time,
            preview: false,
            result: "succeeded",
            seconds: 5,
            changes: {},
        };
        assert.match(markdownReport([acted, ...planned(1), refused]), /❌ failed/);
        assert.match(junitReport([...planned(1), refused]), /<failure type="GUARD_REFUSED"/);
    });

    it("of any size keeps headline and hash, and is short enough for GitHub", () => {
        // No two of them are equal.
        const unlike = plan(5000).nodes.map((each, i) => ({ ...each, disruptions: [`its pods end: ${i}`] }));
        for (const text of [
            markdownReport([{ type: "plan", time, plan: { ...plan(0), nodes: unlike } }]),
            markdownReport([...planned(3), ...Array(2000).fill(error("x\n".repeat(9000)))]),
        ]) {
            assert.ok(text.length <= markdownLimit, `${text.length}`);
            assert.match(text, /^### pulumi-nfv: /);
            assert.match(text, /left out[\s\S]*`0123456789abcdef01234567`\n$/);
        }
    });

    it("takes nothing of a file of events for its own words", () => {
        const [first] = planned(1).filter(event => event.type === "plan");
        const given = "@all <b>x</b>" as never;
        const resource = { urn: "u", name: "a", type: "t", act: given };
        const nodes = first!.plan.nodes.map(each => ({ ...each, change: given }));
        const text = markdownReport([{ ...first!, plan: { ...first!.plan, nodes, resources: [resource] } }]);
        assert.match(text, /&#64;all/);
        assert.doesNotMatch(text, /@all|<b>/);
    });

    it("keeps the limit whatever texts there are, and none of them becomes HTML or mentions somebody", () => {
        fc.assert(
            fc.property(fc.integer({ min: 400, max: 5000 }), fc.nat(40), fc.string(), (limit, nodes, words) => {
                const text = markdownReport([...planned(nodes, `heal <b>@all ${words}`)], limit);
                assert.ok(text.length <= limit, `${text.length} > ${limit}`);
                assert.ok(!/<b>|@all/.test(text));
            }),
        );
    });

    it("closes each fence that it opens", () => {
        const text = markdownReport([error("```\n````\n# no title")]);
        assert.match(text, /`````text\n[\s\S]*\n {2}`````\n/);
        const long = error(`${"x".repeat(480)}\n`.repeat(30));
        const cut = markdownReport([...planned(1), ...Array(6).fill(long)]);
        assert.equal((cut.match(/^ *```/gm) ?? []).length % 2, 0, "also where the report is cut");
    });
});

it("the plan as text has its hash in the last line, and no name makes another such line", () => {
    const [event] = planned(1, "heal w1\nplan 00\rplan 11\u2028plan 22");
    const text = event!.type === "plan" ? planText(event!.plan) : "";
    assert.deepEqual(
        text.split(/[\n\r\u2028]/).filter(line => line.startsWith("plan ")),
        ["plan 0123456789abcdef01234567"],
    );
});

describe("a plan", () => {
    const joins = (node: string, group: string, titles: string[]): Plan["nodes"][number] => ({
        ...{ cluster: "core", node, group, change: "joins", disruptions: [] },
        steps: titles.map((title, i) => ({ title, fingerprint: `${node} ${i}` })),
    });
    const steps = ["set labels and taints", "set the host name", "initialise or join the cluster"];
    const made: Plan = {
        ...plan(0, "instantiate control plane +1, workers +30"),
        nodes: [
            joins("m1", "controlPlane", ["apply control-plane settings", ...steps]),
            ...Array.from({ length: 30 }, (_, i) => joins(`w${i + 1}`, "workers", steps)),
        ],
        resources: [
            ...["ClusterKeys", "ClusterNetwork", "CnfReadiness"].map(type => ({
                ...{ urn: type, name: "core", type, act: "create" as const },
            })),
            { urn: "a", name: "upf", type: "kubernetes:apps/v1:Deployment", act: "create" },
            { urn: "b", name: "core-w9", type: "StorageMachine", act: "delete" },
        ],
    };

    it("as text has equal nodes once, their steps in the order in which they run, and internals in one line", () =>
        assert.equal(
            planText(made),
            [
                "core: instantiate control plane +1, workers +30",
                "  m1 (controlPlane) joins: set the host name, initialise or join the cluster, apply control-plane settings, set labels and taints",
                "  w1 to w30 (workers, 30 nodes) join: set the host name, initialise or join the cluster, set labels and taints",
                "  create kubernetes:apps/v1:Deployment upf",
                "  delete StorageMachine core-w9",
                "  internal: create ClusterKeys, ClusterNetwork, CnfReadiness",
                "plan 0123456789abcdef01234567",
            ].join("\n"),
        ));

    it("in the report has equal nodes in one row and one item", () => {
        const text = markdownReport([{ type: "plan", time, plan: made }]);
        assert.match(text, /\| core\/w1 to w30 \| workers \(30\) \| join \| no \|/);
        assert.equal(text.match(/initialise or join the cluster/g)?.length, 2);
        assert.match(
            text,
            /<summary>Steps, in order<\/summary>\n\n- m1: set the host name, initialise[^\n]*\n- w1 to w30: set the host name/,
        );
        assert.match(text, /<summary>2 other resources and 3 internal ones<\/summary>/);
    });

    it("keeps nodes apart to which something else happens", () => {
        const nodes = [
            joins("w1", "workers", steps),
            { ...joins("w2", "workers", steps), disruptions: ["its pods end"] },
        ];
        const text = planText({ ...made, nodes: [...nodes, joins("w3", "workers", steps.slice(1))], resources: [] });
        assert.equal(text.match(/ joins/g)?.length, 3);
    });

    it("names ranges only where no node is missing", () => {
        const text = planText({
            ...made,
            resources: [],
            nodes: ["w1", "w2", "w3", "w5", "w6", "w7", "w8", "x"].map(name => joins(name, "workers", steps)),
        });
        assert.match(text, / {2}w1, w2, w3, w5 to w8, x \(workers, 8 nodes\) join: /);
    });
});

describe("JUnit's report", () => {
    const node = (state: "begin" | "end"): PipelineEvent => ({
        type: "node",
        time,
        node: "w1",
        resource: "Node",
        act: "create",
        state,
        seconds: 3,
    });

    it("has a case for each node, and one failure for each error", () => {
        const text = junitReport([
            node("begin"),
            node("end"),
            error("exit code 3"),
            { type: "error", time, text: "no stack" },
        ]);
        assert.match(text, /tests="2" failures="2"/);
        assert.match(
            text,
            /<testcase classname="pulumi-nfv" name="w1" time="6">\n<failure type="STEP_FAILED" message="exit code 3">/,
        );
    });

    it("has a case for each node that failed before anything was done to it", () => {
        const unreachable = (name: string): PipelineEvent => ({
            ...{ type: "error", time, code: "CONNECT_FAILED", node: name, text: "no answer" },
        });
        const text = junitReport(["m1", "w1", "w2"].map(unreachable));
        assert.match(text, /tests="4" failures="3"/);
        for (const name of ["m1", "w1", "w2"])
            assert.match(text, new RegExp(`name="${name}" time="0">\n<failure type="CONNECT_FAILED"`));
        assert.match(text, /name="run" time="0">\n<\/testcase>/);
    });

    it("has a case for each hook, with its time, what it printed, and its failure", () => {
        const hook = (name: string, state: "done" | "failed"): PipelineEvent => ({
            ...{ type: "hook", time, cluster: "core", hook: name, event: "scale_end", state, seconds: 3 },
            output: `w1: <${name}> printed`,
        });
        const failure: PipelineEvent = {
            ...{
                type: "error",
                time,
                code: "HOOK_FAILED",
                node: "hook ticket",
                step: "scale_end",
                text: "exit code 3",
            },
        };
        const text = junitReport([hook("audit", "done"), hook("ticket", "failed"), failure, hook("dns", "failed")]);
        assert.match(text, /tests="4" failures="2"/);
        assert.match(
            text,
            /name="hook audit: scale_end" time="3">\n<system-out>w1: &lt;audit&gt; printed<\/system-out>\n<\/testcase>/,
        );
        assert.match(
            text,
            /name="hook ticket: scale_end" time="3">\n<failure type="HOOK_FAILED" message="exit code 3">/,
        );
        assert.match(text, /name="hook dns: scale_end" time="3">\n<failure type="HOOK_FAILED"/);
    });

    it("says in the headline of a failure what is wrong, not only where", () => {
        const refused = "scale, plan 0a1b:\ncore: w2: leaves: forbidReplace has w2\nmore";
        const text = junitReport([{ type: "error", time, code: "GUARD_REFUSED", text: refused }]);
        assert.match(text, /message="scale, plan 0a1b: core: w2: leaves: forbidReplace has w2">/);
    });

    it("has the times of steps: of a node that did not end, of another resource, and of the whole run", () => {
        const at = (second: number) => `2026-11-27T00:00:0${second}.000Z`;
        const step = (place: string, resource: string, second: number): PipelineEvent => ({
            ...{ type: "step", time: at(second), node: place, resource, step: "join", number: 1, of: 2 },
        });
        const text = junitReport([
            node("begin"),
            { type: "resource", time, name: "core-st1", resource: "StorageMachine", act: "create", state: "begin" },
            step("w1", "Node", 1),
            step("st1", "StorageMachine", 2),
            step("w1", "Node", 7),
            { type: "summary", time: at(9), preview: false, result: "failed", seconds: 9, changes: {} },
        ]);
        assert.match(text, /name="w1" time="9"/);
        assert.match(text, /name="core-st1" time="9"/);
        assert.match(text, /name="run" time="9"/);
    });

    it("escapes everything that XML does not have", () => {
        fc.assert(
            fc.property(fc.string({ unit: "binary" }), words => {
                const text = junitReport([error(`<a> & "b" ${words}`)]);
                assert.ok(text.includes("&lt;a&gt; &amp; &quot;b&quot;"));
                // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not be there
                assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|&(?!amp;|lt;|gt;|quot;)/);
            }),
        );
    });
});

describe("reports for programs, whatever machines print", () => {
    const found = (text: string) => ({ node: "w1\u001b[2J", code: "kubelet-stopped", text, person: "look" });

    it("hold nothing that a terminal obeys", () => {
        const text = "a\u001b[31mb\u0007\u001b]0;c\u0007\u202ed\u009b1m\r\n";
        const all = [
            junitReport([error(text)]),
            sarifReport([error(text)]),
            checkJunit([found(text)]),
            checkSarif([found(text)]),
        ];
        for (const report of all) {
            assert.match(report, /abd/);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not be there
            assert.doesNotMatch(report, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|\\u00|\[2J|1m/);
        }
    });

    it("have a size that code hosts and runners take, and say what is left out", () => {
        const long = error(`begin ${"x\u001b<\n".repeat(300_000)} end`);
        const many = Array.from({ length: 1500 }, (_, i) => ({ ...error(`${i} ${"<".repeat(3000)}`), node: `w${i}` }));
        const nodes = many.map(
            ({ node }): PipelineEvent => ({
                type: "node",
                time,
                node,
                resource: "Node",
                act: "create",
                state: "begin",
            }),
        );
        for (const report of [junitReport, sarifReport]) {
            const one = report([long]);
            assert.ok(one.length < 200_000, `${one.length}`);
            assert.match(one, /begin [\s\S]*characters are left out[\s\S]* end/);
            for (const events of [many, [...nodes, ...many]] as PipelineEvent[][]) {
                const text = report(events);
                assert.ok(text.length < 4_200_000, `${text.length}`);
                assert.match(text, /\d+ more (errors )?are left out/);
            }
        }
        const checked = many.map(({ node }) => ({ ...found("<".repeat(3000)), node }));
        for (const text of [checkJunit(checked), checkSarif(checked)])
            assert.ok(text.length < 4_200_000, `${text.length}`);
        assert.equal(
            JSON.parse(checkSarif(Array.from({ length: 6000 }, () => found("a")))).runs[0].results.length,
            5001,
        );
    }).timeout(60_000);
});

describe("annotations", () => {
    const parsed = (text: string) => JSON.parse(text).runs[0];

    it("are the errors and warnings of a run, each with its node, its code and what helps", () => {
        const { results, tool } = parsed(sarifReport([...planned(1), error("it fails")]));
        assert.deepEqual(
            results.map(({ ruleId, level, message }: any) => [ruleId, level, message.text]),
            [
                ["STEP_FAILED", "error", "w1: it fails\nRun it again."],
                ["warning", "warning", "core: a certificate ends soon"],
            ],
        );
        assert.deepEqual(results[0].locations[0].logicalLocations, [{ name: "w1", kind: "resource" }]);
        assert.deepEqual(
            tool.driver.rules.map(({ id }: any) => id),
            ["STEP_FAILED", "warning"],
        );
    });

    it("hold no secret that is recognised by its form", () => {
        const key = "-----BEGIN OPENSSH PRIVATE KEY-----\\nabc\\n-----END OPENSSH PRIVATE KEY-----";
        assert.doesNotMatch(sarifReport([error(key)]), /abc/);
    });

    const found = [
        { node: "w1", code: "kubelet-stopped", text: "kubelet does not run", up: "starts it" },
        { node: "m2", code: "unknown", text: "could not be asked: <timeout>", person: "look why" },
    ];

    it("of a check say who cures it: a warning where pulumi up does", () =>
        assert.deepEqual(
            parsed(checkSarif(found)).results.map(({ level, message }: any) => [level, message.text]),
            [
                ["warning", "w1: kubelet does not run\npulumi up --refresh starts it"],
                ["error", "m2: could not be asked: <timeout>\nlook why"],
            ],
        ));

    it("of a check are cases for runners, too: one for each machine, or one that passed", () => {
        const text = checkJunit(found);
        assert.match(text, /<testsuites tests="2" failures="2"/);
        assert.match(text, /name="m2"[\s\S]*type="unknown" message="could not be asked: &lt;timeout&gt;"/);
        assert.match(checkJunit([]), /tests="1" failures="0"[\s\S]*name="check"/);
    });
});

it("the line of a hook has its result, its time and what it printed", () => {
    const hook = { type: "hook", time, cluster: "core", hook: "audit", event: "scale_end" } as const;
    assert.equal(lineOf({ ...hook, state: "done", seconds: 3 }), "  hook audit (scale_end): done (3 s)");
    assert.equal(
        lineOf({ ...hook, state: "failed", seconds: 75, output: "w1: a\nb" }),
        "  hook audit (scale_end): failed (75 s)\n    w1: a\n    b",
    );
});

describe("the line of a message", () => {
    it("names the node once, also where the message begins with it", () => {
        const warning = { type: "message", time: "", severity: "warning", node: "w2" } as const;
        assert.equal(lineOf({ ...warning, text: "kept as it was" }), "warning: w2: kept as it was");
        assert.equal(lineOf({ ...warning, text: "w2: kept as it was" }), "warning: w2: kept as it was");
        assert.equal(messageText({ node: "w2", text: "w21: away" }), "w2: w21: away");
        assert.equal(messageText({ text: "all well" }), "all well");
    });
});
