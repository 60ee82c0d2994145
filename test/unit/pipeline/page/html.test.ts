import assert from "node:assert/strict";
import * as fc from "fast-check";
import { changedInTurn, instantiated, planOfFleet, repaired } from "../../../../bench/simulation/run-events";
import { htmlReport, markdownReport, type PipelineEvent } from "../../../../pipeline";
import { style } from "../../../../pipeline/page/style";

const time = "2026-11-27T08:00:00.000Z";
const sizeOf = (page: string) => Buffer.byteLength(page);
const tags = (page: string) => [...page.matchAll(/<(\/?[a-z][a-z0-9]*)/gi)].map(([, tag]) => tag!.toLowerCase());

describe("the page of a run", () => {
    it("has rows for nodes, the critical path, waits, objects, the plan, and former runs if they are recorded", () => {
        const fleet = { masters: 3, workers: 2 };
        const plan = {
            ...planOfFleet(fleet),
            estimate: { seconds: 240, runs: 2 },
            lastRun: { began: time, seconds: 100, nodes: { "core/w1": 5 } },
        };
        const page = htmlReport(instantiated(fleet, plan));
        for (const id of ["timeline", "path", "waits", "objects", "comparison", "plan", "phases"])
            assert.match(page, new RegExp(`<h2 id="${id}"`));
        assert.match(page, /<title>core was made: 3 control-plane nodes and 2 workers<\/title>/);
        assert.match(page, /usually takes about 4 min/);
        assert.match(page, /2 of 3 ready; Deployment upf\/upf/);
        assert.match(page, /<td data-head="pods">upf-7c9d8f6b5-x2k4p on w1, /);
        assert.doesNotMatch(htmlReport(instantiated(fleet)), /id="comparison"/);
    });

    describe("of a repair", () => {
        const page = htmlReport(repaired({ masters: 3, workers: 4 }, "w2"));
        const before = (one: string | RegExp, other: string | RegExp) => {
            const [a, b] = [one, other].map(each => page.search(each));
            assert.ok(a! >= 0 && a! < b!, `${one} (${a}) stands before ${other} (${b})`);
        };

        it("has a title that says what changed, and begins with that", () => {
            assert.match(page, /<title>w2: kubelet started again<\/title>/);
            before('id="changes"', 'id="timeline"');
            assert.match(page, /<th scope="row">w2<\/th><td data-head="what">kubelet started again<\/td>/);
        });

        it("folds nodes that were only looked at, and resources that only note something", () => {
            const folds = [...page.matchAll(/<details class="group fold">[\s\S]*?\n<\/details>/g)].map(
                ([text]) => text,
            );
            assert.match(folds.join(), /Only looked at <small>6 nodes/);
            assert.match(folds.join(), /Internal resources <small>Masters, NodeEnd, OwnerMark/);
            const open = folds.reduce((rest, fold) => rest.replace(fold, ""), page);
            assert.match(open, /<span class="name">w2/);
            assert.doesNotMatch(open, /<span class="name">(?:[mw][134]\b|core-m1|core-vim)/);
        });

        it("says who ran what, with which versions, and how the cluster is reached", () => {
            const facts = /<dl class="facts">[\s\S]*?<\/dl>/.exec(page)![0];
            for (const value of [
                "https://10.0.0.100:16443",
                "0.1.0",
                "3f9c2ab41d77",
                "ops@deploy-1",
                "nfv repair",
                "1, all well",
            ])
                assert.ok(facts.includes(`<dd>${value}</dd>`), value);
        });

        it("has its hooks with their result, their time and what they printed", () =>
            assert.match(
                page,
                /audit<\/th><td[^>]*>modify_information_end<\/td><td[^>]*><span class="done">✔ done<\/span><\/td><td[^>]*>3 s<\/td><td[^>]*><code>m1: 128 rules/,
            ));

        it("takes as long as the report for a pull request and JUnit say, and says what there was before the first bar", () => {
            assert.match(page, /<span>took 25 s<\/span>/);
            assert.match(markdownReport(repaired({ masters: 3, workers: 4 }, "w2")), /done in 25 s/);
            assert.match(
                page,
                /Pulumi <small>starts, runs the program, compares<\/small>[\s\S]{0,200}<span class="took">4 s/,
            );
        });
    });

    it("shows rows that failed before all others", () => {
        const page = htmlReport(instantiated({ masters: 3, workers: 4, failing: { node: "w3", text: "no" } }));
        const names = [...page.matchAll(/<span class="name">([mw]\d)/g)].map(([, name]) => name);
        assert.deepEqual(names.slice(0, 2), ["w3", "m1"]);
    });

    it("has no column that a long text makes one letter wide", () => {
        const rules = /(?:^|\n)th, td \{([^}]*)\}/.exec(style)![1]!;
        assert.doesNotMatch(rules, /overflow-wrap: anywhere/);
    });

    it("of a run that failed says where, why, what to do, and shows the end of the output without what terminals obey", () => {
        const text = `${"line\n".repeat(200)}\u001b[31mtimed out\u001b[0m\u001b]0;title\u0007 token: abcdef.0123456789abcdef`;
        const page = htmlReport(instantiated({ masters: 1, workers: 2, failing: { node: "w2", text } }));
        assert.match(page, /<h3><span class="failed">✖ w2: cluster\.join: STEP_FAILED/);
        assert.match(page, /… 171 lines before\n/);
        assert.match(page, /timed out token: \*\*\*<\/pre>/);
        assert.match(page, /What to do: Run pulumi up again\./);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not be there
        assert.doesNotMatch(page, /[\u0000-\u0008\u000b-\u001f\u007f]/);
    });

    it("of a run that was refused says so", () => {
        const events = instantiated({ masters: 1, workers: 2 }).filter(({ type }) => type === "plan");
        const text = "scale, plan 0123456789abcdef01234567:\ncore: w2: leaves: forbidReplace has w2";
        const refused = { type: "error", time: events[0]!.time, code: "GUARD_REFUSED", text } as const;
        const page = htmlReport([...events, refused]);
        assert.match(page, /<title>Refused: core: w2: leaves: forbidReplace has w2<\/title>/);
        assert.doesNotMatch(page, /id="changes"/);
        assert.match(page, /⊘ refused/);
        assert.doesNotMatch(page, /✖ refused|<span>took/);
    });

    it("of a run that somebody stopped does not call it failed", () => {
        const events = instantiated({ masters: 1, workers: 2, failing: { node: "w2", text: "the run was stopped" } });
        const stopped = events.map(event => (event.type === "error" ? { ...event, code: "CANCELLED" } : event));
        const page = htmlReport(stopped);
        assert.match(page, /<title>Stopped: w2: cluster\.join<\/title>/);
        assert.match(page, /<h3><span class="warn">■ w2: /);
        assert.match(page, /… not finished/);
        assert.doesNotMatch(page, /✖|Failures|<i class="bad" style/);
        assert.match(htmlReport(events), /<title>w2 failed: cluster\.join<\/title>/);
    });

    it("loads nothing and runs nothing", () => {
        const page = htmlReport(instantiated({ masters: 1, workers: 1 }));
        assert.doesNotMatch(page, /<script|<link|<iframe|<img|\ssrc=|@import|url\(|https?:/i);
        assert.match(page, /content="default-src 'none'; style-src 'unsafe-inline'"/);
    });

    it("has only its own tags, whatever names and texts there are", () => {
        const known = new Set(tags(htmlReport(hostile("a"))));
        fc.assert(
            fc.property(fc.string({ unit: "binary", maxLength: 60 }), words => {
                const page = htmlReport(hostile(`</script></style><svg onload="x">'"&${words}`));
                assert.deepEqual(
                    tags(page).filter(tag => !known.has(tag)),
                    [],
                );
                assert.ok(!/<svg|onload="/.test(page));
            }),
            { numRuns: 30 },
        );
    });

    it("stays small: 200 nodes, and 800 with long names and outputs", () => {
        assert.ok(sizeOf(htmlReport(instantiated({ masters: 5, workers: 195 }))) < 1_500_000);
        const error: PipelineEvent = {
            type: "error",
            time,
            node: "w3",
            text: "x".repeat(5000).concat("\n").repeat(150),
        };
        const many = [...changedInTurn({ masters: 1, workers: 800 }, 50), ...Array<PipelineEvent>(200).fill(error)];
        const page = htmlReport(many);
        assert.ok(sizeOf(page) < 3_000_000, `${sizeOf(page)}`);
        assert.match(page, /more rows are left out/);
    });

    it("of a preview shows the plan; of nothing that nothing was done", () => {
        assert.match(
            htmlReport([{ type: "plan", time, plan: planOfFleet({ masters: 1, workers: 1 }) }]),
            /preview<\/span>[\s\S]*<section[^>]*><h2 id="plan"/,
        );
        assert.match(htmlReport([]), /nothing was done/);
    });
});

function hostile(words: string): PipelineEvent[] {
    const place = { node: words, cluster: words, resource: "Node" as const };
    return [
        { type: "node", time, ...place, act: "create", state: "begin" },
        { type: "step", time, ...place, step: words, number: 1, of: 1, words },
        { type: "node", time: "2026-11-27T08:00:04.000Z", ...place, act: "create", state: "failed" },
        { type: "resource", time, name: words, resource: words, act: "create", state: "failed" },
        { type: "message", time, severity: "warning", node: words, text: words },
        { type: "phase", time, phase: words },
        { type: "error", time, node: words, step: words, code: words, text: words, hint: words },
    ];
}

/** WCAG 2: relative luminance and contrast. */
function contrast(one: string, other: string): number {
    const luminance = (colour: string) => {
        const [r, g, b] = [1, 3, 5].map(i => {
            const part = Number.parseInt(colour.slice(i, i + 2), 16) / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light! + 0.05) / (dark! + 0.05);
}

describe("the colours of the page", () => {
    const blocks = [...style.matchAll(/--back:[^}]*/g)].map(([text]) =>
        Object.fromEntries([...text!.matchAll(/--(\w+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name!, colour!])),
    );
    for (const [name, colours] of [
        ["light", blocks[0]!],
        ["dark", blocks[1]!],
    ] as const) {
        it(`can be read: ${name}`, () => {
            for (const text of ["front", "quiet", "link", "failed", "done", "warn"])
                for (const back of ["back", "panel"])
                    assert.ok(contrast(colours[text]!, colours[back]!) >= 4.5, `${text} on ${back}`);
            for (const bar of ["host", "step", "wait", "failed", "warn", "path"])
                assert.ok(contrast(colours[bar]!, colours["panel"]!) >= 3, bar);
        });
    }
});
