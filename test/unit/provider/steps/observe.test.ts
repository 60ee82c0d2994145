import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../../../provider/ssh/types";
import { observation, observe, parseObservation } from "../../../../provider/steps/observe";
import { encodeScript } from "../../../../provider/steps/protocol";
import type { StepBody } from "../../../../provider/steps/types";
import { stepLists } from "./step-lists";

const allBodies = async () =>
    Object.values(await stepLists()).flatMap(({ specs, bodiesOf }) => specs.flatMap(bodiesOf));

describe("what a step leaves", () => {
    it("can be observed, of every step: by a script, its probe or its files alone; or the step says why not", async () => {
        const hidden = (await allBodies()).filter(
            ({ observe: how, probe, run, files = [] }) =>
                how === undefined && probe === undefined && (run !== undefined || files.length === 0),
        );
        assert.deepEqual([...new Set(hidden.map(({ id }) => id))], []);
    });

    it("is looked at with values that each script gets, and without a word of a secret file", async () => {
        const bodies = await allBodies();
        for (const body of bodies) {
            const text = observation([body]);
            for (const { secret, content } of body.files ?? [])
                if (secret)
                    for (const line of content.split("\n").filter(each => each.length > 20))
                        assert.ok(!text.includes(line), body.id);
            for (const secret of Object.values(body.secrets ?? {})) assert.ok(!text.includes(secret), body.id);
        }
        assert.ok(bodies.some(({ files = [] }) => files.some(({ secret }) => secret)));
    });
});

describe("an observation", () => {
    it("of all steps of a machine is one text that a shell can read", async () => {
        for (const { specs, bodiesOf } of Object.values(await stepLists())) {
            for (const spec of specs) {
                const texts: string[] = [];
                const connection = {
                    target: { host: "m1" },
                    exec: async (_: readonly string[], { stdin = "" }: { stdin?: string } = {}) => {
                        texts.push(stdin);
                        return { code: 0, stdout: "", stderr: "" };
                    },
                } as unknown as Connection;
                await observe(connection, bodiesOf(spec));
                assert.equal(texts.length, 1);
                execFileSync("sh", ["-n"], { input: texts[0]! });
            }
        }
    });
});

describe("an observation, by a real shell", () => {
    let folder: string;
    const owner = `${userInfo().username}:${execFileSync("id", ["-gn"], { encoding: "utf8" }).trim()}`;
    const step = (id: string, more: Partial<StepBody>): StepBody => ({
        id,
        title: `do ${id}`,
        revision: 1,
        timeoutSeconds: 1,
        ...more,
    });
    const file = (name: string, content: string) => ({ path: join(folder, name), content, owner });
    const shell = (script: string) => {
        const input = encodeScript({ run: script });
        return execFileSync("sh", ["-s"], { input, encoding: "utf8" });
    };
    const seen = (...steps: StepBody[]) => parseObservation(steps, shell(observation(steps)));

    beforeEach(() => {
        folder = mkdtempSync("/tmp/nfv-observe-");
        writeFileSync(join(folder, "as-written"), "it's\n", { mode: 0o644 });
        writeFileSync(join(folder, "other"), "changed\n", { mode: 0o600 });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("compares files: content, mode, owner, whether they are there", () => {
        const steps = [
            step("a", { files: [file("as-written", "it's\n")] }),
            step("b", { files: [file("other", "before\n"), file("gone", "x")] }),
        ];
        assert.deepEqual(seen(...steps), {
            a: { state: "same" },
            b: {
                state: "differs",
                lines: [
                    `${folder}/other is 600 ${owner}, it was made 644 ${owner}`,
                    `${folder}/other has changed`,
                    `${folder}/gone is gone`,
                ],
            },
        });
    });

    it("runs each step's own script with its values; what one of them breaks, another does not see", () => {
        const steps = [
            step("own", {
                probe: "true",
                observe: { script: 'echo "$A $B"', env: { B: "it's two" } },
                env: { A: "one" },
            }),
            step("broken", { observe: { script: "echo half; exit 3" } }),
            step("unset", { observe: { script: 'echo "$NOWHERE"' } }),
            step("quiet", { observe: { script: ":" } }),
        ];
        const { own, broken, unset, quiet } = seen(...steps);
        assert.deepEqual(own, { state: "differs", lines: ["one it's two"] });
        assert.deepEqual(broken, { state: "unknown", why: "half" });
        assert.equal(unset!.state, "unknown");
        assert.deepEqual(quiet, { state: "same" });
    });

    it("takes a probe for want of better: no is a difference", () => {
        const steps = [step("yes", { probe: "true", run: "false" }), step("no", { probe: "false\ntrue", run: "true" })];
        assert.deepEqual(seen(...steps), {
            yes: { state: "same" },
            no: { state: "differs", lines: ["not done any more: do no"] },
        });
    });

    it("says what nothing shows; changed files show nevertheless", () => {
        const why = "it looked at others";
        const steps = [
            step("a", { run: "true", observe: { unseen: why } }),
            step("b", { files: [file("gone", "x")], observe: { unseen: why } }),
            step("c", { files: [file("as-written", "it's\n")], observe: { unseen: why } }),
        ];
        const { a, b, c } = seen(...steps);
        assert.deepEqual(
            [a, c],
            [
                { state: "unknown", why },
                { state: "unknown", why },
            ],
        );
        assert.equal(b!.state, "differs");
    });

    it("knows nothing of a step that has no answer, or none in time", () => {
        const steps = [step("a", { observe: { script: ":" } }), step("b", { observe: { script: ":" } })];
        const { a, b } = parseObservation(steps, "\x1ea\x1f124\n\n");
        assert.deepEqual(a, { state: "unknown", why: "no answer within 10 s" });
        assert.deepEqual(b, { state: "unknown", why: "the machine's answer ended before" });
    });

    it("is one question to the machine, on standard input", async () => {
        const asked: string[][] = [];
        const connection = {
            target: { host: "m1" },
            exec: async (argv: readonly string[], { stdin }: { stdin?: string } = {}) => {
                asked.push([...argv]);
                return { code: 0, stdout: shell(stdin!), stderr: "" };
            },
        } as unknown as Connection;
        const steps = [step("a", { observe: { script: ":" } }), step("b", { observe: { script: "echo gone" } })];
        assert.deepEqual(await observe(connection, steps), {
            a: { state: "same" },
            b: { state: "differs", lines: ["gone"] },
        });
        assert.deepEqual(asked, [["sh", "-s", "pulumi-nfv"]]);
    });
});
