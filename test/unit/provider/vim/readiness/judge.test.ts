import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { judge, type ReadinessRules } from "../../../../../provider/vim/readiness/judge";
import { type StatusShape, statusShape, unknownShape } from "../../../../../provider/vim/readiness/status-shape";
import type { LiveObject } from "../../../../../provider/vim/readiness/types";

const withConditions: StatusShape = { has: "conditions", fields: ["conditions"] };
const condition = (type: string, status: string, more: object = {}) => ({ type, status, ...more });

function object(status: object | undefined, { kind = "Widget", apiVersion = "shop.example/v1", ...more }: any = {}) {
    return {
        apiVersion,
        kind,
        metadata: { name: "w", generation: 2 },
        ...more,
        ...(status && { status }),
    } as LiveObject;
}

function judged(given: LiveObject, shape = withConditions, rules: ReadinessRules = {}) {
    const { ready, why, stuck } = judge(given, rules, shape);
    return stuck ? `stuck: ${why}` : ready ? "ready" : why;
}

describe("the readiness of a custom resource", () => {
    describe("of no known kind", () => {
        const cases: [string, object | undefined, string][] = [
            ["is a condition Ready that is True", { conditions: [condition("Ready", "True")] }, "ready"],
            [
                "names condition, reason and message otherwise",
                { conditions: [condition("Ready", "False", { reason: "Starting", message: "1 of 3" })] },
                "Ready is False (Starting): 1 of 3",
            ],
            [
                "is not that of a former generation, as the status says it",
                { observedGeneration: 1, conditions: [condition("Ready", "True")] },
                "its controller has not seen the last change yet (generation 2, observed 1)",
            ],
            [
                "is not that of a former generation, as the condition says it",
                { conditions: [condition("Ready", "True", { observedGeneration: 1 })] },
                "Ready is True of generation 1, its controller has not seen 2 yet",
            ],
            [
                "is all of the telling conditions that there are",
                { conditions: [condition("Ready", "True"), condition("Available", "Unknown")] },
                "Available is Unknown",
            ],
            [
                "waits while it is reconciled",
                { conditions: [condition("Reconciling", "True"), condition("Ready", "True")] },
                "Reconciling is True",
            ],
            [
                "fails at once when it is stalled",
                { conditions: [condition("Stalled", "True", { reason: "BadSpec" })] },
                "stuck: Stalled is True (BadSpec)",
            ],
            ["waits for the first status", undefined, "it has no conditions yet: is its controller running?"],
            [
                "is not guessed from conditions of other names: a rule is asked for",
                { conditions: [condition("Foo", "True")] },
                'none of its conditions says whether it is ready; it has Foo=True. If one of them does: readiness: { "shop.example/*/Widget": { condition: "…" } }',
            ],
        ];
        for (const [title, status, expected] of cases) {
            it(title, () => strictEqual(judged(object(status)), expected));
        }

        it("is not that of an object that is being deleted", () => {
            const metadata = { name: "w", deletionTimestamp: "2026-01-01T00:00:00Z" };
            strictEqual(
                judged(object({ conditions: [condition("Ready", "True")] }, { metadata })),
                "it is being deleted",
            );
        });

        it("must be seen twice where nothing says to which change it belongs", () => {
            const unsure = (status: object) => judge(object(status), {}, withConditions).unsure;
            strictEqual(unsure({ conditions: [condition("Ready", "True")] }), true);
            strictEqual(unsure({ conditions: [condition("Ready", "True", { observedGeneration: 2 })] }), undefined);
            strictEqual(unsure({ observedGeneration: 2, conditions: [condition("Ready", "True")] }), undefined);
        });

        it("is its existence where the kind has no status", () => {
            strictEqual(judged(object(undefined), { has: "none", fields: [] }), "ready");
        });

        it("is its existence where the status has no conditions, and it says so with the fields that there are", () => {
            const { ready, remark = "" } = judge(object({ phase: "Pending" }), {}, { has: "other", fields: ["phase"] });
            strictEqual(ready, true);
            match(remark, /^has a status without conditions \(phase\): it counts as ready because it exists/);
            match(remark, /readiness: \{ "shop\.example\/\*\/Widget": \{ exists: true \} \}$/);
        });
    });

    describe("by a rule of the program", () => {
        const by = (rule: object, status: object | undefined) =>
            judged(object(status), withConditions, { "shop.example/*/Widget": rule });
        const cases: [string, object, object | undefined, string][] = [
            ["a condition", { condition: "Up" }, { conditions: [condition("Up", "True")] }, "ready"],
            [
                "a condition of another status",
                { condition: "Degraded", status: "False" },
                { conditions: [condition("Degraded", "True", { reason: "Disk" })] },
                "Degraded is True (Disk)",
            ],
            [
                "a condition that is not there",
                { condition: "Up" },
                { conditions: [condition("Ready", "True")] },
                "it has no condition Up yet; it has Ready=True",
            ],
            ["a field", { field: "status.phase", value: "Running" }, { phase: "Running" }, "ready"],
            [
                "a field of another value",
                { field: "status.phase", value: "Running" },
                { phase: "Pending" },
                "status.phase is Pending",
            ],
            ["a field that is not there", { field: "status.phase" }, {}, "it has no status.phase yet"],
            ["a field of any value", { field: "status.ready" }, { ready: false }, "status.ready is false"],
            ["existence", { exists: true }, undefined, "ready"],
            [
                "a field of a former generation",
                { field: "status.phase", value: "Running" },
                { observedGeneration: 1, phase: "Running" },
                "its controller has not seen the last change yet (generation 2, observed 1)",
            ],
        ];
        for (const [title, rule, status, expected] of cases) {
            it(`is ${title}`, () => strictEqual(by(rule, status), expected));
        }

        it("is by the first rule that fits, before the table of known kinds", () => {
            const rules = { "*/Widget": { exists: true }, "shop.example/v1/Widget": { condition: "Never" } };
            strictEqual(judged(object(undefined), withConditions, rules), "ready");
            const issuer = object(undefined, { apiVersion: "cert-manager.io/v1", kind: "Issuer" });
            strictEqual(judged(issuer, withConditions, { "cert-manager.io/*/*": { exists: true } }), "ready");
        });
    });

    describe("of a known kind", () => {
        const of = (apiVersion: string, kind: string, status?: object, more: object = {}) =>
            judged(object(status, { apiVersion, kind, ...more }));
        const capi = "cluster.x-k8s.io/v1beta2";
        const cases: [string, string, string, object | undefined, string, object?][] = [
            ["a Cluster that is available", capi, "Cluster", { conditions: [condition("Available", "True")] }, "ready"],
            [
                "a Cluster on its way to another version",
                capi,
                "Cluster",
                {
                    conditions: [
                        condition("Available", "True"),
                        condition("RollingOut", "True", { reason: "RollingOut" }),
                    ],
                },
                "RollingOut is True (RollingOut)",
            ],
            [
                "a Cluster as v1beta1 shows it",
                "cluster.x-k8s.io/v1beta1",
                "Cluster",
                {
                    conditions: [condition("Ready", "True")],
                    v1beta2: { conditions: [condition("Available", "False", { reason: "NotAvailable" })] },
                },
                "Available is False (NotAvailable)",
            ],
            [
                "a Cluster of an older release",
                "cluster.x-k8s.io/v1beta1",
                "Cluster",
                { conditions: [condition("Ready", "True")] },
                "ready",
            ],
            [
                "an OpenStackCluster",
                "infrastructure.cluster.x-k8s.io/v1beta1",
                "OpenStackCluster",
                { ready: true },
                "ready",
            ],
            [
                "an OpenStackCluster that is not touched yet",
                "infrastructure.cluster.x-k8s.io/v1beta1",
                "OpenStackCluster",
                undefined,
                "it has no conditions yet: is its controller running?",
            ],
            ["a template", "infrastructure.cluster.x-k8s.io/v1beta1", "OpenStackMachineTemplate", undefined, "ready"],
            [
                "a Certificate",
                "cert-manager.io/v1",
                "Certificate",
                { conditions: [condition("Ready", "True")] },
                "ready",
            ],
            [
                "a ServiceMonitor, which has no controller",
                "monitoring.coreos.com/v1",
                "ServiceMonitor",
                undefined,
                "ready",
            ],
            ["a VirtualService", "networking.istio.io/v1", "VirtualService", undefined, "ready"],
            ["a network of Multus", "k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", undefined, "ready"],
            [
                "a Gateway that is accepted only",
                "gateway.networking.k8s.io/v1",
                "Gateway",
                { conditions: [condition("Accepted", "True")] },
                "it has no condition Programmed yet",
            ],
            [
                "a route, by each of its parents",
                "gateway.networking.k8s.io/v1",
                "HTTPRoute",
                {
                    parents: [
                        { conditions: [condition("Accepted", "True"), condition("ResolvedRefs", "True")] },
                        {
                            conditions: [
                                condition("Accepted", "True"),
                                condition("ResolvedRefs", "False", { reason: "BackendNotFound" }),
                            ],
                        },
                    ],
                },
                "ResolvedRefs is False (BackendNotFound)",
            ],
            [
                "a registry of Flux",
                "source.toolkit.fluxcd.io/v1",
                "HelmRepository",
                undefined,
                "ready",
                { spec: { type: "oci" } },
            ],
            [
                "an Application of Argo CD",
                "argoproj.io/v1alpha1",
                "Application",
                { sync: { status: "Synced" }, health: { status: "Degraded" } },
                "status.health.status is Degraded",
            ],
            [
                "a Pod below one",
                "v1",
                "Pod",
                {
                    phase: "Pending",
                    conditions: [condition("Ready", "False")],
                    containerStatuses: [
                        { name: "c", state: { waiting: { reason: "ErrImagePull", message: "not found" } } },
                    ],
                },
                "c: ErrImagePull: not found",
            ],
            [
                "a Deployment below one",
                "apps/v1",
                "Deployment",
                { readyReplicas: 1 },
                "1 of 3 ready",
                { spec: { replicas: 3 } },
            ],
        ];
        for (const [title, apiVersion, kind, status, expected, more] of cases) {
            it(`is that of ${title}`, () => strictEqual(of(apiVersion, kind, status, more), expected));
        }
    });
});

describe("what a definition says about the status of a kind", () => {
    const shape = (version: object, name = "v1") =>
        statusShape({ spec: { versions: [{ name: "v1", ...version }] } }, name);
    const schema = (status: object) => ({ schema: { openAPIV3Schema: { properties: { status } } } });

    it("is whether there is one, and whether it has conditions", () => {
        deepStrictEqual(shape({ schema: { openAPIV3Schema: { properties: { spec: {} } } } }), {
            has: "none",
            fields: [],
        });
        deepStrictEqual(shape(schema({ properties: { conditions: {}, phase: {} } })), {
            has: "conditions",
            fields: ["conditions", "phase"],
        });
        deepStrictEqual(shape(schema({ properties: { phase: {} } })), { has: "other", fields: ["phase"] });
    });

    it("is not known where the schema leaves it open, or there is no such version", () => {
        deepStrictEqual(shape(schema({ "x-kubernetes-preserve-unknown-fields": true })), unknownShape);
        deepStrictEqual(shape({ subresources: { status: {} } }), unknownShape);
        deepStrictEqual(shape({}, "v2"), unknownShape);
        deepStrictEqual(statusShape(undefined, "v1"), unknownShape);
    });
});
