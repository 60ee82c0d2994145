import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import type { NfvError } from "../../../../provider/common/errors";
import { type Cni, kubectlPathOf, networkManifest } from "../../../../provider/network/manifests";

function objects(cni: Cni, manifests?: string[]) {
    const text = networkManifest({ cni, podCidr: "10.7.0.0/16", kubectlPath: "/usr/local/bin/kubectl", manifests });
    return parseAllDocuments(text).map(document => {
        assert.deepEqual(document.errors, []);
        return document.toJS();
    });
}

const kinds = (cni: Cni) => objects(cni).map(one => one.kind);

describe("pod network", () => {
    it("bridge has a DaemonSet that runs on every node before its network is there", () => {
        const daemons = objects("bridge").find(one => one.kind === "DaemonSet").spec.template.spec;
        assert.equal(daemons.hostNetwork, true);
        assert.deepEqual(daemons.tolerations, [{ operator: "Exists" }]);
        const kubectl = daemons.volumes.find((volume: { name: string }) => volume.name === "kubectl");
        assert.equal(kubectl.hostPath.path, "/usr/local/bin/kubectl");
        const [{ env }] = daemons.containers;
        assert.equal(env.find((one: { name: string }) => one.name === "POD_CIDR").value, "10.7.0.0/16");
    });

    it("bridge has an image under a name that can never be registered, or what is given", () => {
        const image = (given?: string) => {
            const spec = { cni: "bridge" as const, podCidr: "10.7.0.0/16", kubectlPath: "/k", image: given };
            const daemons = parseAllDocuments(networkManifest(spec)).map(document => document.toJS());
            return daemons.find(one => one.kind === "DaemonSet").spec.template.spec.containers[0].image;
        };
        assert.match(image(), /^[^/]+\.invalid\//);
        assert.equal(image("x@sha256:1"), "x@sha256:1");
    });

    it("bridge may look at nodes and nothing else", () => {
        const role = objects("bridge").find(one => one.kind === "ClusterRole");
        assert.deepEqual(role.rules, [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }]);
    });

    it("bridge writes a CNI configuration with a place for the node's subnet", () => {
        const { conflist } = objects("bridge").find(one => one.kind === "ConfigMap").data;
        assert.equal(JSON.parse(conflist).plugins[0].ipam.ranges[0][0].subnet, "@SUBNET@");
    });

    it("flannel has the cluster's pod network in its settings", () => {
        assert.ok(kinds("flannel").includes("DaemonSet"));
        const map = objects("flannel").find(one => one.kind === "ConfigMap").data;
        assert.equal(JSON.parse(map["net-conf.json"]).Network, "10.7.0.0/16");
        JSON.parse(map["cni-conf.json"]);
    });

    it("manifests are the user's, all of them", () => {
        const names = objects("manifests", ["kind: A\n---\nkind: B", "kind: C\n"]).map(one => one.kind);
        assert.deepEqual(names, ["A", "B", "C"]);
    });

    it("none is nothing", () => assert.equal(networkManifest({ cni: "none", podCidr: "", kubectlPath: "" }), ""));

    it("of an unknown kind is refused", () => {
        assert.throws(
            () => kinds("weave" as Cni),
            (error: NfvError) => error.code === "INVALID_INPUT",
        );
    });

    it("finds kubectl where the source puts it", () => {
        assert.equal(kubectlPathOf({ bundle: {} }), "/usr/local/bin/kubectl");
        assert.equal(kubectlPathOf({}), "/usr/bin/kubectl");
    });
});
