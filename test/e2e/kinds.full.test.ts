import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { Life } from "./life/life";

const image = "pulumi-nfv.invalid/tools:1";
const metadata = { name: "each" };
const ofApp = (app: string) => ({ matchLabels: { app } });

const pod = (app: string, command: string, spec: object = {}) => ({
    metadata: { labels: { app } },
    spec: {
        ...{ terminationGracePeriodSeconds: 1, ...spec },
        containers: [{ name: "main", image, command: ["sh", "-c", command] }],
    },
});
const runs = (app: string) => ({ selector: ofApp(app), template: pod(app, "exec sleep 3600") });
const worksOnce = (seconds: number) => pod("job", `sleep ${seconds}`, { restartPolicy: "Never" });

/** The kinds of Kubernetes itself whose readiness is known, and those that network functions have beside them. */
const objects = [
    ...["ConfigMap", "Secret", "ServiceAccount"].map(kind => ({ apiVersion: "v1", kind, metadata })),
    {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata,
        spec: {
            ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "" },
            hostPath: { path: "/var/tmp" },
        },
    },
    {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata,
        spec: {
            ...{ accessModes: ["ReadWriteOnce"], storageClassName: "", volumeName: "each" },
            resources: { requests: { storage: "1Gi" } },
        },
    },
    { apiVersion: "v1", kind: "Pod", ...pod("pod", "exec sleep 3600"), metadata },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: { app: "deployment" }, ports: [{ port: 80 }] } },
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: runs("deployment") },
    { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: runs("replica-set") },
    { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: { ...runs("stateful-set"), serviceName: "each" } },
    { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: runs("daemon-set") },
    { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template: worksOnce(5) } },
    {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata,
        spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: worksOnce(1) } } },
    },
    {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata,
        spec: { maxUnavailable: 1, selector: ofApp("stateful-set") },
    },
    {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata,
        spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "each" } },
    },
    {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata,
        spec: { podSelector: {}, policyTypes: ["Ingress"] },
    },
    {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "eaches.shop.example.com" },
        spec: {
            ...{ group: "shop.example.com", scope: "Namespaced" },
            names: { kind: "Each", plural: "eaches", singular: "each", listKind: "EachList" },
            versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
    },
    {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name: "v1.nothing.example.com" },
        spec: { group: "nothing.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 1 },
    },
];

/** Where a kind says that it does what it is for, and what it says then. */
const done: Record<string, [path: string, value: string]> = {
    persistentvolumeclaim: ["{.status.phase}", "Bound"],
    pod: ['{.status.conditions[?(@.type=="Ready")].status}', "True"],
    deployment: ["{.status.availableReplicas}", "1"],
    replicaset: ["{.status.readyReplicas}", "1"],
    statefulset: ["{.status.readyReplicas}", "1"],
    job: ["{.status.succeeded}", "1"],
};

describe("a network function with each kind of Kubernetes", function () {
    this.timeout("30m");
    asStory(this);
    const life = new Life(["m1"], ["w1"]);
    before(() => life.open());
    after(() => life.close());

    it("is awaited kind by kind", async () => {
        const { kubectl, project } = life.fixture;
        await life.give(wish => (wish.cnfs = { each: { namespace: "kinds", objects } }));
        await project.up();
        for (const [kind, [path, value]] of Object.entries(done)) {
            assert.equal(await kubectl("-n", "kinds", "get", kind, "each", "-o", `jsonpath=${path}`), value, kind);
        }
        const counts = "{.status.numberReady} of {.status.desiredNumberScheduled}";
        assert.equal(
            await kubectl("-n", "kinds", "get", "daemonset", "each", "-o", `jsonpath=${counts}`),
            "1 of 1",
            "daemonset",
        );
        await project.up({ expectNoChanges: true });
    });

    it("ends with all but definitions", async () => {
        const { kubectl, project } = life.fixture;
        await life.give(wish => (wish.cnfs = {}));
        await project.up();
        const names = ["namespace/kinds", "pv/each", "apiservice/v1.nothing.example.com"];
        assert.equal(await kubectl("get", ...names, "--ignore-not-found", "-o", "name"), "");
        // A definition stays: others may have objects of it.
        assert.match(await kubectl("get", "crd", "-o", "name"), /eaches\.shop\.example\.com/);
    });
});
