import assert from "node:assert/strict";
import { refuseOtherEtcd } from "../../../../tools/oci/images";

describe("the etcd of a bundle", () => {
    const list = (tag: string) => ["registry.k8s.io/coredns/coredns:v1.14.6", `registry.k8s.io/etcd:${tag}`];

    it("is of the minor that the tag says", () => {
        assert.doesNotThrow(() => refuseOtherEtcd(list("3.7.0-0"), "3.7.3", "1.37.2"));
        assert.throws(() => refuseOtherEtcd(list("3.7.0-0"), "3.6.16", "1.37.2"), {
            code: "BUNDLE_INVALID",
            message: /1\.37\.2 wants the image registry\.k8s\.io\/etcd:3\.7\.0-0, and the etcd .* is 3\.6\.16/,
        });
        // 3.17 is not 3.1.
        assert.throws(() => refuseOtherEtcd(list("3.17.0-0"), "3.1.0", "1.99.0"), { code: "BUNDLE_INVALID" });
    });

    it("is refused where kubeadm lists none", () => {
        assert.throws(() => refuseOtherEtcd([], "3.7.3", "1.37.2"), /wants the image of no etcd/);
    });
});
