import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalJson } from "../../../../provider/steps/fingerprint";
import { plan, planOnTheWay, stale, stepTitles } from "../../../../provider/steps/plan";
import type { StepBody, StepFactory } from "../../../../provider/steps/types";

const factories: StepFactory<StepBody[]>[] = [0, 1, 2].map(i => bodies => bodies[i]);
const fingerprintOf = (body: StepBody, key = "key") => plan([() => body], {}, key)[0].fingerprint;

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const text = fc.string({ maxLength: 30 });
const arbitraryBody: fc.Arbitrary<StepBody> = fc.record(
    {
        id: word,
        title: text,
        revision: fc.integer({ min: 1, max: 9 }),
        timeoutSeconds: fc.nat(900),
        run: text,
        probe: text,
        env: fc.dictionary(word, text),
        secrets: fc.dictionary(word, text),
        files: fc.array(
            fc.record({ path: text, content: text, secret: fc.boolean() }, { requiredKeys: ["path", "content"] }),
        ),
    },
    { requiredKeys: ["id", "title", "revision", "timeoutSeconds"] },
);
const arbitraryBodies = fc
    .array(arbitraryBody, { maxLength: 3 })
    .map(bodies =>
        structuredClone(bodies.map((body, i) => ({ ...body, id: `${body.id}.${i}`, title: `${body.title} ${i}` }))),
    );

/** The same data with the keys of all objects in reverse order. */
function reversed<T>(value: T): T {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(reversed) as T;
    const entries = Object.entries(value).map(([k, v]) => [k, reversed(v)]);
    return Object.fromEntries(entries.reverse()) as T;
}

describe("a plan", () => {
    const body: StepBody = { id: "a.b", title: "do it", revision: 1, timeoutSeconds: 5, run: "true" };

    it("is the same for the same spec, in whatever order its keys stand", () => {
        fc.assert(
            fc.property(arbitraryBodies, bodies => {
                const once = plan(factories, bodies, "key");
                assert.deepEqual(once, plan(factories, structuredClone(bodies), "key"));
                assert.deepEqual(
                    once.map(step => step.fingerprint),
                    plan(factories, reversed(bodies), "key").map(step => step.fingerprint),
                );
            }),
        );
    });

    it("on the way does what is meant meanwhile, under the fingerprints of what is wanted in the end", () => {
        const list: StepFactory<string>[] = [
            run => ({ ...body, env: { TO: run } }),
            run => (run === "now" ? { ...body, id: "a.c", title: "only now", run } : undefined),
        ];
        const wanted = plan(list, "then", "key");
        const meanwhile = plan(list, "now", "key");
        assert.notEqual(meanwhile[0]!.fingerprint, wanted[0]!.fingerprint);
        const onTheWay = planOnTheWay(list, { wanted: "then", meanwhile: "now" }, "key");
        assert.deepEqual(onTheWay, [{ ...meanwhile[0]!, fingerprint: wanted[0]!.fingerprint }, meanwhile[1]]);
    });

    it("has a fingerprint of 12 hex digits for each step, and keeps the order of the factories", () => {
        const steps = plan([() => body, () => undefined, () => ({ ...body, id: "a.a", title: "then" })], {}, "key");
        assert.deepEqual(
            steps.map(step => step.id),
            ["a.b", "a.a"],
        );
        for (const step of steps) assert.match(step.fingerprint, /^[0-9a-f]{12}$/);
    });

    it("changes a step's fingerprint with its revision and each part of its declared state", () => {
        const file = { path: "/etc/x", content: "1" };
        const changes: Partial<StepBody>[] = [
            { id: "a.c" },
            { revision: 2 },
            { env: { A: "1" } },
            { secrets: { token: "1" } },
            { secrets: { token: "2" } },
            { files: [file] },
            { files: [{ ...file, content: "2" }] },
            { files: [{ ...file, content: "1", secret: true }] },
            { files: [{ ...file, content: "2", secret: true }] },
            { files: [{ ...file, mode: 0o600 }] },
            { env: { A: "a".repeat(5000) } },
            { env: { A: "b".repeat(5000) } },
            { files: [{ ...file, content: "a".repeat(5000) }] },
            { files: [{ ...file, content: "b".repeat(5000) }] },
            { uploads: [{ localPath: "/a", path: "/b", sha256: "1", sizeBytes: 1 }] },
            { uploads: [{ localPath: "/a", path: "/b", sha256: "2", sizeBytes: 1 }] },
            { declaredState: { version: 1 } },
            { declaredState: { version: 2 } },
            { declaredState: { version: 2 }, revision: 2 },
        ];
        const prints = [body, ...changes.map(change => ({ ...body, ...change }))].map(b => fingerprintOf(b));
        assert.equal(new Set(prints).size, prints.length);
    });

    it("gives the same fingerprint however often it is asked, and another for another key", () => {
        const long = { ...body, env: { A: "a".repeat(5000) } };
        assert.equal(fingerprintOf(long), fingerprintOf({ ...long }));
        assert.notEqual(fingerprintOf(long), fingerprintOf(long, "another key"));
    });

    it("keeps the fingerprint when only title, scripts, limits, retries or the local path change", () => {
        const upload = { localPath: "/a", path: "/b", sha256: "1", sizeBytes: 1 };
        const before = { ...body, uploads: [upload] };
        const after: StepBody = {
            ...before,
            title: "else",
            probe: "true",
            run: "false # a comment",
            preparation: { id: "p", title: "p", target: "controlPlane", run: "date", timeoutSeconds: 1 },
            timeoutSeconds: 9,
            retries: { times: 1, delaySeconds: 1 },
            uploads: [{ ...upload, localPath: "/elsewhere" }],
        };
        assert.equal(fingerprintOf(before), fingerprintOf(after));
    });

    it("looks only at the declared state where one is given", () => {
        const join = { ...body, declaredState: { cluster: "c" }, env: { MODE: "join" }, secrets: { token: "1" } };
        assert.equal(fingerprintOf(join), fingerprintOf({ ...join, env: { MODE: "init" }, secrets: {} }));
    });

    it("gives another fingerprint for any other secret, and for any other key", () => {
        fc.assert(
            fc.property(text, text, (a, b) => {
                fc.pre(a !== b);
                const withSecret = (token: string) => fingerprintOf({ ...body, secrets: { token } });
                assert.notEqual(withSecret(a), withSecret(b));
                assert.notEqual(fingerprintOf(body, `k${a}`), fingerprintOf(body, `k${b}`));
            }),
        );
    });

    it("says `to do` for each step while there is no key", () => {
        assert.deepEqual(stepTitles(plan([() => body], {}, undefined)), { "do it": "to do" });
    });

    it("shows no secret in preview", () => {
        fc.assert(
            fc.property(fc.string({ minLength: 13, maxLength: 40 }), secret => {
                const files = [{ path: "/x", content: secret, secret: true }];
                const shown = JSON.stringify(
                    stepTitles(plan([() => ({ ...body, files, secrets: { secret } })], {}, "k")),
                );
                assert.ok(!shown.includes(JSON.stringify(secret).slice(1, -1)));
            }),
        );
    });

    it("refuses two steps of one id or title, and ids that cannot name a unit", () => {
        assert.throws(() => plan([() => body, () => ({ ...body, title: "other" })], {}, "k"), /id of two steps/);
        assert.throws(() => plan([() => body, () => ({ ...body, id: "other" })], {}, "k"), /title of two steps/);
        assert.throws(() => plan([() => ({ ...body, id: "../a b" })], {}, "k"), /cannot be the id/);
    });
});

describe("stale steps", () => {
    it("are those whose recorded fingerprint is missing or another, in order", () => {
        const steps = ["a", "b", "c"].map(id => ({
            id,
            title: id,
            revision: 1,
            timeoutSeconds: 1,
            fingerprint: `${id}1`,
        }));
        assert.deepEqual(
            stale(steps, { a: "a1", b: "b0", gone: "x" }).map(step => step.id),
            ["b", "c"],
        );
    });
});

describe("canonical JSON", () => {
    it("tells apart what JSON tells apart and nothing else", () => {
        fc.assert(
            fc.property(fc.jsonValue(), value => {
                assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
            }),
        );
        assert.equal(canonicalJson({ b: undefined, a: 1 }), '{"a":1}');
    });
});
