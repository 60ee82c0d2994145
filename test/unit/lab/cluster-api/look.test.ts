import assert from "node:assert/strict";
import { clusterAct, freeEndpoint } from "../../../../lab/cluster-api/cluster-act";
import { components } from "../../../../lab/cluster-api/definitions";
import { frontsOf, type Look, nodeVersions, seenMachine, together } from "../../../../lab/cluster-api/look";
import { addresses } from "../../../../lab/names";

const metadata = (name: string, labels: Record<string, string> = {}, namespace = "default") => ({
    ...{ name, namespace, uid: `${namespace}/${name}` },
    labels: { "cluster.x-k8s.io/cluster-name": "a", ...labels },
});
const controlPlane = { "cluster.x-k8s.io/control-plane": "" };
const owned = (name: string, labels = {}, namespace = "default") => ({
    metadata: { ...metadata(name, labels, namespace), ownerReferences: [{ kind: "Machine", name }] },
});

const all: Look = {
    clusters: [{ metadata: metadata("a") }, { metadata: metadata("a", {}, "other") }],
    machines: [{ metadata: metadata("m", {}, "other") }, { metadata: metadata("m") }],
    labClusters: [{ metadata: metadata("a"), spec: { controlPlaneEndpoint: { host: "10.99.0.251", port: 6443 } } }],
    labMachines: [owned("m", controlPlane), owned("w"), owned("off", controlPlane), owned("x", controlPlane, "other")],
    nodes: [
        { name: "m", address: "10.99.0.102", state: "on" },
        { name: "w", address: "10.99.0.103", state: "on" },
        { name: "off", address: "10.99.0.104", state: "off" },
        { name: "x", address: "10.99.0.105", state: "on" },
    ],
};

describe("a look at a management cluster", () => {
    it("finds Machine, Cluster and node of a machine, in its own namespace", () => {
        const { owner, cluster, node } = seenMachine(all.labMachines[0]!, all);
        assert.deepEqual(
            [owner?.metadata.uid, cluster?.metadata.uid, node?.address],
            ["default/m", "default/a", "10.99.0.102"],
        );
    });

    it("gives the load balancer the control-plane nodes of the cluster that are on", () => {
        assert.deepEqual(frontsOf(all), { "10.99.0.251": ["10.99.0.102"] });
    });

    it("gives the load balancer all control-plane nodes of the cluster", () => {
        const third = { name: "m3", address: "10.99.0.106", state: "on" as const };
        const nodes = [...all.nodes.map(node => ({ ...node, state: "on" as const })), third];
        const labMachines = [...all.labMachines, owned("m3", controlPlane)];
        assert.deepEqual(frontsOf({ ...all, nodes, labMachines }), {
            "10.99.0.251": ["10.99.0.102", "10.99.0.104", "10.99.0.106"],
        });
    });

    it("gives the load balancer what two management clusters know of one cluster that moves", () => {
        const seen: Record<string, string[]>[] = [{ a: ["1", "3"] }, { a: ["1", "2"], b: [] }];
        assert.deepEqual(together(seen), { a: ["1", "2", "3"], b: [] });
    });

    it("makes a node of the machine's own version, with containers of the others", () => {
        assert.deepEqual(nodeVersions("v1.34.4", ["1.34.3", "1.34.4"]), ["1.34.4", "1.34.3"]);
        assert.deepEqual(nodeVersions("v1.34.3", ["1.34.4"]), ["1.34.3", "1.34.4"]);
        assert.deepEqual(nodeVersions(undefined, ["1.34.4"]), ["1.34.4"]);
    });

    it("leaves an endpoint to its owner that is none of the lab's", () => {
        const theirs = { ...all.labClusters[0]!, spec: { controlPlaneEndpoint: { host: "10.99.0.100", port: 6443 } } };
        assert.deepEqual(frontsOf({ ...all, labClusters: [theirs] }), {});
    });
});

describe("what is done for a cluster of Cluster API", () => {
    const [cluster] = all.clusters;

    it("is to give it an endpoint that no other cluster has, once", () => {
        const act = clusterAct({ metadata: metadata("b") }, cluster, ["10.99.0.251"]);
        const endpoint = { host: "10.99.0.252", port: 6443 };
        assert.deepEqual(act, { do: "report", endpoint, status: { initialization: { provisioned: true } } });
        const after = { metadata: metadata("b"), spec: { controlPlaneEndpoint: endpoint }, status: act.status };
        assert.deepEqual(clusterAct(after, cluster, []), { do: "wait" });
    });

    it("keeps an endpoint that the user has given", () => {
        const given = { controlPlaneEndpoint: { host: "10.99.0.100", port: 16443 } };
        const act = clusterAct({ metadata: metadata("b"), spec: given }, cluster, []);
        assert.deepEqual(act.do === "report" && act.endpoint, given.controlPlaneEndpoint);
    });

    it("is nothing before its Cluster is there, while it is paused, and when it leaves", () => {
        const paused = { ...cluster!, spec: { paused: true } };
        const leaving = { ...metadata("b"), deletionTimestamp: "2026-01-01T00:00:00Z" };
        assert.deepEqual(clusterAct({ metadata: metadata("b") }, undefined, []), { do: "wait" });
        assert.deepEqual(clusterAct({ metadata: metadata("b") }, paused, []), { do: "wait" });
        assert.deepEqual(clusterAct({ metadata: leaving }, cluster, []), { do: "wait" });
    });

    it("has endpoints that no node of a lab gets", () => {
        const nodes = Object.values(addresses(Array.from({ length: 150 }, (_, i) => `x${i}`)));
        assert.equal(nodes.includes(freeEndpoint([])), false);
    });
});

describe("the components of the lab's provider", () => {
    it("are named by kind and group, and have the label of the contract on each definition", () => {
        const definitions = components.slice(1) as { metadata: { name: string; labels: Record<string, string> } }[];
        assert.deepEqual(
            definitions.map(({ metadata: each }) => [each.name.split(".")[0], each.labels["cluster.x-k8s.io/v1beta2"]]),
            ["labclusters", "labclustertemplates", "labmachines", "labmachinetemplates"].map(each => [
                each,
                "v1alpha1",
            ]),
        );
    });
});
