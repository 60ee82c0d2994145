import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import {
    accessSecret,
    countsOf,
    fileOf,
    pausedWorkload,
    vimOf,
    withFunction,
} from "../../../bench/cluster-api/workloads";
import { ownObjects } from "../../../components/cluster-api/own-objects";
import { accessOf, kubeconfigSecret } from "../../../provider/cluster-api/workload-kubeconfig";
import { renderKubeconfig } from "../../../provider/identity/kubeconfig";

interface Read {
    kind: string;
    metadata: { name: string };
    spec?: { paused?: boolean; replicas?: number };
}

const objectsOf = ({ manifests, variables }: Pick<ReturnType<typeof pausedWorkload>, "manifests" | "variables">) =>
    ownObjects(manifests, variables, "default") as unknown as { cluster: Read; objects: Read[] };
/** `matchLabels: null` is for webhooks to fill; ours leaves it out. */
const withoutNulls = (objects: unknown) =>
    JSON.parse(
        JSON.stringify(objects, (_, value) =>
            value === null
                ? undefined
                : value && !Array.isArray(value) && typeof value === "object"
                  ? sorted(value)
                  : value,
        ),
    );
const sorted = (value: object) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
const byName = (a: Read, b: Read) => (`${a.kind}${a.metadata.name}` < `${b.kind}${b.metadata.name}` ? -1 : 1);

describe("the bench cluster-api", () => {
    const access = {
        endpoint: "https://10.99.0.100:16443",
        caCertificate: "ca",
        clientCertificate: "certificate",
        clientKey: "key",
    };

    it("gives both sides the same objects", () => {
        const ours = objectsOf(withFunction("site", 3)).objects;
        const byHand = parseAllDocuments(fileOf("site", 3)).map(each => each.toJS() as Read);
        assert.deepEqual(withoutNulls(byHand.sort(byName)), withoutNulls([...ours].sort(byName)));
        assert.equal(byHand.find(({ kind }) => kind === "MachineDeployment")!.spec!.replicas, 3);
        assert.equal(
            byHand.find(({ kind }) => kind === "MachineHealthCheck"),
            undefined,
        );
    });

    it("pauses the clusters of the preview, and only those", () => {
        assert.equal(objectsOf(pausedWorkload("p1")).cluster.spec!.paused, true);
        assert.equal(objectsOf(withFunction("site", 1)).cluster.spec!.paused, undefined);
    });

    it("gives the accounts of the preview's clusters names of their own: their API is one and the same", () => {
        const accounts = ["p1", "p2"].map(name => pausedWorkload(name).serviceAccount);
        assert.notEqual(accounts[0]!.name, accounts[1]!.name);
        assert.notDeepEqual(accounts[0]!.namespaces, accounts[1]!.namespaces);
    });

    it("hands out the access as Cluster API does", () => {
        const { caCertificate: ca, clientCertificate: clientCert, clientKey, endpoint } = access;
        const text = renderKubeconfig({ name: "core", endpoint, ca, clientCert, clientKey });
        const { metadata, data } = accessSecret("p1", text) as { metadata: { name: string }; data: { value: string } };
        assert.equal(metadata.name, kubeconfigSecret("p1"));
        assert.deepEqual(accessOf(Buffer.from(data.value, "base64").toString()), access);
        assert.deepEqual(vimOf(access).auth, { clientCertificate: "certificate", clientKey: "key" });
    });

    it("counts what is ours and what is the plugin's, without components and providers", () => {
        const types = [
            "pulumi:pulumi:Stack",
            "pulumi-nfv:index:WorkloadCluster",
            "pulumi:providers:kubernetes",
            "pulumi-nodejs:dynamic/nfv:WorkloadRollout",
            "kubernetes:core/v1:ConfigMap",
            "kubernetes:cluster.x-k8s.io/v1beta2:Cluster",
        ];
        assert.deepEqual(countsOf(types.map(type => ({ type, urn: type }))), { ours: 1, kubernetes: 2 });
    });
});
