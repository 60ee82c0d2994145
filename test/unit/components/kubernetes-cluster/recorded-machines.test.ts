import assert from "node:assert/strict";
import { machinesIn } from "../../../../components/kubernetes-cluster/recorded-machines";

const urn = (type: string, name: string) =>
    `urn:pulumi:dev::app::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;

describe("the machines in a state", () => {
    it("are those of the Hosts, by the names that the program gives them", () => {
        const state = [urn("Host", "core-m1"), urn("Host", "core-m2"), urn("Node", "core-m1"), urn("Node", "core-m9")];
        assert.deepEqual(machinesIn(state, "core"), ["core-m1", "m1", "core-m2", "m2"]);
    });

    it("are unknown where the state has nothing, or could not be read", () => {
        assert.equal(machinesIn([], "core"), undefined);
        assert.deepEqual(machinesIn([urn("Node", "core-m1")], "core"), []);
    });
});
