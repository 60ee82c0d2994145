import { deepStrictEqual, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { KubernetesObject } from "../../../../components/cnf/manifests";
import { withoutNulls } from "../../../../components/cnf/without-nulls";

const of = (apiVersion: string, kind: string, more: object) =>
    ({ apiVersion, kind, metadata: { name: "a" }, ...more }) as KubernetesObject;

describe("an object without null", () => {
    for (const [title, given, expected] of [
        [
            "loses fields that are left empty",
            of("apps/v1", "Deployment", { spec: { a: null, containers: [{ resources: null, name: "b" }] } }),
            of("apps/v1", "Deployment", { spec: { containers: [{ name: "b" }] } }),
        ],
        [
            "of Cluster API, too",
            of("cluster.x-k8s.io/v1beta2", "MachineDeployment", { spec: { selector: { matchLabels: null } } }),
            of("cluster.x-k8s.io/v1beta2", "MachineDeployment", { spec: { selector: {} } }),
        ],
        [
            "keeps labels and data without a value",
            of("v1", "ConfigMap", { metadata: { name: "a", labels: { b: null } }, data: { c: null } }),
            undefined,
        ],
        ["keeps elements of lists", of("v1", "Pod", { spec: { args: [null, "a"] } }), undefined],
        [
            "keeps a value of any form",
            of("cluster.x-k8s.io/v1beta2", "ClusterClass", { spec: { patches: [{ op: "add", value: null }] } }),
            undefined,
        ],
        [
            "stays in other kinds: null may say something",
            of("helm.test/v2", "Release", { spec: { a: null } }),
            undefined,
        ],
        [
            "stays in definitions",
            of("apiextensions.k8s.io/v1", "CustomResourceDefinition", { spec: { a: null } }),
            undefined,
        ],
    ] as [string, KubernetesObject, KubernetesObject | undefined][]) {
        it(title, () => deepStrictEqual(withoutNulls(given), expected ?? given));
    }

    it("keeps outputs as they are", () => {
        const output = pulumi.output({ a: null });
        const { spec } = withoutNulls(of("v1", "Pod", { spec: { output, none: null } }));
        deepStrictEqual(Object.keys(spec!), ["output"]);
        strictEqual(spec!["output"], output);
    });
});
