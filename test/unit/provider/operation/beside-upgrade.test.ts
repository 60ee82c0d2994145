import assert from "node:assert/strict";
import { apiDuringUpgrade, problemsBesideUpgrade } from "../../../../provider/operation/beside-upgrade";
import { classify } from "../../../../provider/operation/classify";
import type { ClusterDescription } from "../../../../provider/operation/operation";

const cluster = (masters: number, workers: number, more: Partial<ClusterDescription> = {}): ClusterDescription => ({
    nodes: Object.fromEntries([
        ...Array.from({ length: masters }, (_, i) => [`m${i + 1}`, { role: "controlPlane" as const, machine: "a" }]),
        ...Array.from({ length: workers }, (_, i) => [`w${i + 1}`, { role: "worker" as const, machine: "a" }]),
    ]),
    kubernetesVersion: "1.34.3",
    endpoint: "vip 10.0.0.1:6443",
    ...more,
});
const newer = { kubernetesVersion: "1.34.4" };
const problems = (before: ClusterDescription, after: ClusterDescription) =>
    problemsBesideUpgrade(classify(before, after), before, after);

describe("another version", () => {
    it("is change_current_package, and stands alone with the control plane", () => {
        assert.deepEqual(problems(cluster(3, 2), cluster(3, 2, newer)), []);
        assert.equal(classify(cluster(3, 2), cluster(3, 2, newer))[0]!.kind, "change_current_package");
    });

    it("is done in one run with workers that come and go", () => {
        assert.deepEqual(problems(cluster(3, 2), cluster(3, 4, newer)), []);
        assert.deepEqual(problems(cluster(3, 2), cluster(3, 1, newer)), []);
    });

    it("is refused in one run with control-plane nodes that come, go or are healed, and with another endpoint", () => {
        assert.match(problems(cluster(3, 2), cluster(5, 2, newer)).join(), /with m4, m5: /);
        assert.match(problems(cluster(5, 2), cluster(3, 2, newer)).join(), /with m4, m5: /);
        const moved = cluster(3, 2, newer);
        moved.nodes["m2"] = { role: "controlPlane", machine: "b" };
        assert.match(problems(cluster(3, 2), moved).join(), /with m2: /);
        const lost = { ...cluster(3, 2), lost: ["m3"] };
        assert.match(problems(lost, cluster(3, 2, newer)).join(), /with m3: /);
        const elsewhere = cluster(3, 2, { ...newer, endpoint: "vip 10.0.0.2:6443" });
        assert.match(problems(cluster(3, 2), elsewhere).join(), /controlPlane\.endpoint/);
    });

    it("leaves the API there only with three members of etcd and a shared endpoint", () => {
        const said = (after: ClusterDescription) =>
            apiDuringUpgrade(classify({ ...after, kubernetesVersion: "1.34.3" }, after), after).join();
        assert.match(said(cluster(3, 1, newer)), /available throughout/);
        assert.match(said(cluster(1, 1, newer)), /interrupted.*one control-plane node/);
        assert.match(said(cluster(2, 1, newer)), /interrupted.*two members/);
        assert.match(said(cluster(3, 1, { ...newer, endpoint: "of the only master" })), /interrupted/);
        assert.equal(said(cluster(3, 1)), "");
    });
});
