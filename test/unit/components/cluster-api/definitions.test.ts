import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { definitionProblems, definitionsIn } from "../../../../components/cluster-api/definitions";

const text = { type: "string" };
const group = "infrastructure.cluster.x-k8s.io";
const definitions = definitionsIn([
    { kind: "Namespace", metadata: { name: "a" } },
    {
        kind: "CustomResourceDefinition",
        spec: {
            group,
            names: { kind: "MachineTemplate" },
            versions: [
                { name: "v1alpha7" },
                {
                    name: "v1beta1",
                    schema: {
                        openAPIV3Schema: {
                            type: "object",
                            properties: {
                                apiVersion: text,
                                metadata: { type: "object" },
                                spec: {
                                    type: "object",
                                    properties: {
                                        flavor: text,
                                        count: { type: "integer" },
                                        surge: { "x-kubernetes-int-or-string": true },
                                        policy: { type: "string", enum: ["soft", "hard"] },
                                        tags: { type: "array", items: text },
                                        labels: { type: "object", additionalProperties: text },
                                        ports: {
                                            type: "array",
                                            items: { type: "object", properties: { trunk: { type: "boolean" } } },
                                        },
                                        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                                        own: {
                                            type: "object",
                                            "x-kubernetes-embedded-resource": true,
                                            properties: { kind: text },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            ],
        },
    },
]);
const late = Symbol("late");
const found = (spec: object, apiVersion = `${group}/v1beta1`, more: object = {}) =>
    definitionProblems(
        [{ apiVersion, kind: "MachineTemplate", metadata: { name: "site-w", finalizers: [] }, spec, ...more } as never],
        definitions,
        value => value === late,
    );

describe("objects of a provider's kinds, before there is a cluster that could be asked", () => {
    it("are refused with a field that the kind does not have: which one, where, and what may be meant", () => {
        deepStrictEqual(found({ flavr: "x" }), [
            'MachineTemplate site-w: spec.flavr: this kind has no such field; did you mean "flavor"?',
        ]);
        match(found({ ports: [{}, { trunc: true }] })[0]!, /spec\.ports\.1\.trunc: .*"trunk"/);
        match(found({}, undefined, { spek: {} })[0]!, /: spek: .*"spec"/);
    });

    it("are refused with a value of another type, which is not printed if it is a text", () => {
        const reasons: [object, RegExp][] = [
            [{ count: "canary" }, /spec\.count: must be an integer, and is a string$/],
            [{ count: 1.5 }, /must be an integer, and is 1\.5$/],
            [{ flavor: 4 }, /must be a string, and is 4$/],
            [{ flavor: ["a"] }, /must be a string, and is an array$/],
            [{ tags: "a" }, /must be an array, and is a string$/],
            [{ tags: ["a", 1] }, /spec\.tags\.1: must be a string/],
            [{ labels: { a: true } }, /spec\.labels\.a: must be a string, and is true$/],
            [{ surge: true }, /must be a number or string, and is true$/],
            [{ policy: "mild" }, /must be one of "soft", "hard", not "mild"$/],
            [{ ports: { trunk: true } }, /must be an array, and is an object$/],
        ];
        for (const [spec, reason] of reasons) match(found(spec).join(), reason);
    });

    it("pass with what the API takes, and with what is not known yet", () => {
        const spec = {
            ...{ flavor: "m1", count: 3, surge: "25%", policy: "hard", tags: [], labels: { any: "x" } },
            ...{ ports: [{ trunk: false }], free: { any: { thing: [1] } }, own: { kind: "Pod", spec: { a: 1 } } },
        };
        deepStrictEqual(found(spec), []);
        deepStrictEqual(found({ flavor: late, ports: late, labels: { a: late }, surge: 1 }), []);
        deepStrictEqual(found({ flavor: null, ports: undefined }), []);
        deepStrictEqual(found({ anything: 1 }, `${group}/v1alpha7`), [], "a version without a schema");
        deepStrictEqual(found({ anything: 1 }, "other/v1"), [], "a kind of somebody else");
        strictEqual(definitions.size, 1);
    });
});
