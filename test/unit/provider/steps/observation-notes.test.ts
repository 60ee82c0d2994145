import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../../../provider/ssh/types";
import { plan } from "../../../../provider/steps";
import { noteObservations, observationNotes, parseNotes } from "../../../../provider/steps/observation-notes";
import type { StepBody } from "../../../../provider/steps/types";
import { stepLists } from "./step-lists";

const step = (id: string, more: Partial<StepBody>) =>
    plan([() => ({ id, title: `do ${id}`, revision: 1, timeoutSeconds: 1, ...more })], {}, "key")[0]!;

describe("the notes of a machine, by a real shell", () => {
    let folder: string;
    const owner = `${userInfo().username}:${execFileSync("id", ["-gn"], { encoding: "utf8" }).trim()}`;
    const file = (name: string, content: string) => ({ path: join(folder, name), content, owner });

    beforeEach(() => {
        folder = mkdtempSync("/tmp/nfv-notes-");
        writeFileSync(join(folder, "it's"), "before\n", { mode: 0o644 });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("say of each step what differs, which step it was, and what it interrupts", () => {
        const steps = [
            step("same", { files: [file("it's", "before\n")] }),
            step("other", { title: "do kubelet's\npart", disruptive: "it's down", files: [file("gone", "x")] }),
            step("broken", { observe: { script: "echo half; exit 3" } }),
            step("hidden", { observe: { unseen: "nothing shows it" } }),
        ];
        const [same, other, broken] = steps.map(({ fingerprint }) => fingerprint);
        const said = execFileSync("sh", [], { input: observationNotes(steps), encoding: "utf8" });
        assert.deepEqual(parseNotes(said), {
            same: { fingerprint: same, title: "do same", seen: { state: "same" } },
            other: {
                fingerprint: other,
                title: "do kubelet's part",
                disruptive: "it's down",
                seen: { state: "differs", lines: [`${folder}/gone is gone`] },
            },
            broken: { fingerprint: broken, title: "do broken", seen: { state: "unknown", why: "half" } },
        });
    });

    it("are no answer where they were cut off", () => {
        const whole = observationNotes([step("other", { files: [file("gone", "x")] })]);
        const cut = whole.slice(0, whole.length / 2);
        assert.throws(() => execFileSync("sh", [], { input: cut, encoding: "utf8", stdio: "pipe" }));
    });
});

describe("the notes of a machine", () => {
    it("of all steps can be read by a shell, and hold no secret", async () => {
        for (const { specs, bodiesOf } of Object.values(await stepLists())) {
            for (const spec of specs) {
                const factories = bodiesOf(spec).map(body => () => body);
                const steps = plan(factories, {}, "key").filter(({ notCompared }) => notCompared === undefined);
                const notes = observationNotes(steps);
                execFileSync("sh", ["-n"], { input: notes });
                for (const { secrets = {}, files = [] } of steps) {
                    const lines = files.flatMap(({ secret, content }) => (secret ? content.split("\n") : []));
                    for (const text of [...Object.values(secrets), ...lines].filter(each => each.length > 20))
                        assert.ok(!notes.includes(text));
                }
            }
        }
    });

    it("are written in one round trip, on a machine that is ours", async () => {
        const asked: [readonly string[], string][] = [];
        const connection = {
            target: { host: "m1" },
            exec: async (argv: readonly string[], { stdin = "" }: { stdin?: string } = {}) => {
                asked.push([argv, stdin]);
                return { code: 0, stdout: "", stderr: "" };
            },
        } as unknown as Connection;
        await noteObservations(connection, "host", [step("a", { probe: "true" })], "echo more");
        assert.equal(asked.length, 1);
        const [argv, stdin] = asked[0]!;
        assert.deepEqual(argv, ["sh", "-s", "pulumi-nfv-note"]);
        assert.match(stdin, /\/var\/lib\/pulumi-nfv\/cluster \] \|\| exit 0\numask 077\n[\s\S]*echo more\n/);
        execFileSync("sh", ["-n"], { input: stdin });
    });
});
