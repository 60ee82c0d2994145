import { deepStrictEqual } from "node:assert/strict";
import { nearKinds } from "../../../../provider/vim/discovery";

const all = [
    ["cluster.x-k8s.io", "Cluster", "v1beta2", "v1beta1"],
    ["cluster.x-k8s.io", "Machine", "v1beta2"],
    ["postgresql.cnpg.io", "Cluster", "v1"],
    ["cert-manager.io", "Issuer", "v1"],
    ["cert-manager.io", "ClusterIssuer", "v1"],
    ["", "Pod", "v1"],
].map(([group, kind, ...versions]) => ({ group: group!, kind: kind!, versions }));
const near = (apiVersion: string, kind: string) => nearKinds({ apiVersion, kind }, all);

describe("the kinds of a cluster near one that it does not have", () => {
    it("are the same kind in other versions and groups, the nearest first, then the others of its group", () => {
        deepStrictEqual(near("cluster.x-k8s.io/v1alpha4", "Cluster"), [
            "Cluster of cluster.x-k8s.io/v1beta2 or v1beta1",
            "Machine of cluster.x-k8s.io/v1beta2",
            "Cluster of postgresql.cnpg.io/v1",
        ]);
    });

    it("are those of a similar name, in the same or a similar group", () => {
        deepStrictEqual(near("cert-manager.io/v1", "Isuer"), [
            "Issuer of cert-manager.io/v1",
            "ClusterIssuer of cert-manager.io/v1",
        ]);
        deepStrictEqual(near("certmanager.io/v1", "Issuer"), ["Issuer of cert-manager.io/v1"]);
    });

    it("are none where nothing is similar", () => deepStrictEqual(near("keda.sh/v1alpha1", "ScaledObject"), []));
});
