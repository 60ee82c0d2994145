import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { contentHash } from "../../../../components/cluster-api/content-name";
import { withAddOns } from "../../../../components/cluster-api/own-add-ons";
import { ownObjects } from "../../../../components/cluster-api/own-objects";
import { rolesOf } from "../../../../components/cluster-api/roles";

const template = `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: \${CLUSTER_NAME}
---
apiVersion: v1
kind: Secret
metadata:
  name: \${CLUSTER_NAME}-cloud-config
data:
  clouds.yaml: \${OPENSTACK_CLOUD_YAML_B64}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: \${CLUSTER_NAME}-control-plane
spec:
  replicas: \${CONTROL_PLANE_MACHINE_COUNT:=1}
  version: \${KUBERNETES_VERSION}
  machineTemplate:
    infrastructureRef:
      kind: OpenStackMachineTemplate
      name: \${CLUSTER_NAME}-control-plane
`;
const values = { CLUSTER_NAME: "c1", KUBERNETES_VERSION: "v1.34.4", OPENSTACK_CLOUD_YAML_B64: "YQ==" };

describe("a user's own manifests of a workload cluster", () => {
    it("are read with their variables, in the wished namespace", () => {
        const { cluster, objects } = ownObjects([template], values, "sites");
        strictEqual(cluster.metadata.name, "c1");
        deepStrictEqual(
            objects.map(({ metadata }) => metadata.namespace),
            ["sites", "sites", "sites"],
        );
        strictEqual((objects[2]!["spec"] as { replicas: number }).replicas, 1);
    });

    it("leave out fields without a value, which webhooks fill", () => {
        const deployment =
            "---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {name: md}\nspec: {selector: {matchLabels: null}}\n";
        const { objects } = ownObjects([template + deployment], values, "default");
        deepStrictEqual(objects[3]!["spec"], { selector: {} });
    });

    it("may leave the number of a pool's machines to an autoscaler, and not set it besides", () => {
        const range = ["min", "max"].map(
            (what, i) => `cluster.x-k8s.io/cluster-api-autoscaler-node-group-${what}-size: "${i}"`,
        );
        const pool = (replicas: string) =>
            `---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {name: md, annotations: {${range.join(", ")}}}\nspec: {${replicas}}\n`;
        const topology = (replicas: string) =>
            `apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: c2}\nspec: {topology: {workers: {machineDeployments: [{name: md, metadata: {annotations: {${range.join(", ")}}}${replicas}}]}}}\n`;
        for (const replicas of ["", "replicas: null"]) ownObjects([template + pool(replicas)], values, "default");
        for (const replicas of ["", ", replicas: null"]) ownObjects([topology(replicas)], {}, "default");
        throws(
            () => ownObjects([template + pool("replicas: 1")], values, "default"),
            /MachineDeployment md has replicas and/,
        );
        throws(() => ownObjects([topology(", replicas: 1")], {}, "default"), /pool md of Cluster c2 has replicas and/);
    });

    it("take values that are known later, and stay secret", async () => {
        const secret = pulumi.secret("canary");
        const { objects } = ownObjects([template], { ...values, OPENSTACK_CLOUD_YAML_B64: secret }, "default");
        const given = (objects[1]!["data"] as Record<string, pulumi.Output<string>>)["clouds.yaml"]!;
        ok(pulumi.Output.isInstance(given));
        ok(await pulumi.isSecret(given));
        strictEqual(await new Promise(resolve => void given.apply(resolve)), "canary");
    });

    it("take a number that is known later as a number, unless it is in quotes", async () => {
        const text = `---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: md }
spec: { replicas: \${COUNT}, quoted: "\${COUNT}", name: a-\${COUNT}, list: \${LIST}, broken: \${BROKEN} }
`;
        const later = {
            COUNT: pulumi.output("2"),
            LIST: pulumi.output("[1, a]"),
            BROKEN: pulumi.secret("[canary"),
            CONTROL_PLANE_MACHINE_COUNT: pulumi.output(3) as unknown as pulumi.Output<string>,
        };
        const { objects } = ownObjects([template + text], { ...values, ...later }, "default");
        const known = (value: unknown) => new Promise(resolve => void pulumi.output(value as object).apply(resolve));
        deepStrictEqual(await known(objects[3]!["spec"]), {
            ...{ replicas: 2, quoted: "2", name: "a-2", list: [1, "a"], broken: "[canary" },
        });
        strictEqual(((await known(objects[2]!["spec"])) as { replicas: number }).replicas, 3);
    });

    it("are refused with a name that is known later: Pulumi calls a resource by it", () => {
        const later = { ...values, CLUSTER_NAME: pulumi.output("c1") };
        throws(() => ownObjects([template], later, "default"), /variables\.CLUSTER_NAME: stands in the name/);
    });

    it("get add-ons by a label of the Cluster, which keeps its own", () => {
        const labelled = template.replace("name: ${CLUSTER_NAME}\n", "name: ${CLUSTER_NAME}\n  labels: { a: b }\n");
        const own = ownObjects([labelled], values, "default");
        const { cluster, objects } = withAddOns(own, { "add-on-1": "kind: A" });
        deepStrictEqual(cluster.metadata["labels"], { a: "b", "pulumi-nfv.dev/workload-cluster": "c1" });
        deepStrictEqual(
            objects.map(({ kind }) => kind),
            ["ConfigMap", "ClusterResourceSet", "Cluster", "Secret", "KubeadmControlPlane"],
        );
        strictEqual(objects[2], cluster);
        deepStrictEqual(withAddOns(own, {}), own);
    });

    it("are refused with what is missing: a variable, the Cluster", () => {
        const { KUBERNETES_VERSION: _, ...fewer } = values;
        throws(() => ownObjects([template], fewer, "default"), /KUBERNETES_VERSION/);
        const noCluster = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
        throws(() => ownObjects([noCluster], {}, "default"), /must have one Cluster .* and have none/);
    });

    it("say what their machines are made of", () => {
        const { cluster, objects } = ownObjects([template], values, "default");
        const roles = rolesOf(cluster.metadata.name, objects, contentHash);
        const { config: _, ...role } = roles["control-plane"]!;
        deepStrictEqual(role, { version: "v1.34.4", servers: "c1-control-plane", replicas: 1 });
    });
});
