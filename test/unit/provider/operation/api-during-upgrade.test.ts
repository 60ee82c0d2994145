import assert from "node:assert/strict";
import { apiDuringUpgrade } from "../../../../provider/operation/api-during-upgrade";
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
describe("another version", () => {
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
