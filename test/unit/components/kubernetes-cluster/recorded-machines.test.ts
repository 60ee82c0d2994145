import assert from "node:assert/strict";
import { machinesIn } from "../../../../components/kubernetes-cluster/recorded-machines";
import type { StateOutputs } from "../../../../provider/adapters/own-state";

const urn = (type: string, name: string) =>
    `urn:pulumi:dev::app::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;
const recorded = (...machines: [urn: string, spec: unknown][]): StateOutputs =>
    Object.fromEntries(machines.map(([each, spec]) => [each, { outputs: { spec } }]));
const specOf = (name: string, clusterId = "core-1") => JSON.stringify({ name, clusterId });

describe("the machines in a state", () => {
    it("are those of the Hosts, by cluster and the names that the program gives them, whatever the cluster was called", () => {
        const state = recorded(
            [urn("Host", "core-m1"), specOf("m1")],
            [urn("Host", "former-m2"), specOf("m2")],
            [urn("Host", "edge-m2"), specOf("m2", "edge-2")],
            [urn("Host", "core-m3"), { name: "core-m3", clusterId: "core-1" }],
            [urn("Node", "core-m9"), specOf("m9")],
        );
        assert.deepEqual(machinesIn(state), ["core-1/m1", "core-1/m2", "edge-2/m2", "core-1/core-m3"]);
    });

    it("are unknown where the state has nothing, could not be read, or says no name of a machine", () => {
        assert.equal(machinesIn({}), undefined);
        assert.deepEqual(machinesIn(recorded([urn("Node", "core-m1"), specOf("m1")])), []);
        for (const spec of [undefined, "{", {}, JSON.stringify({ name: 1 }), { name: "m2" }]) {
            const state = recorded([urn("Host", "core-m1"), specOf("m1")], [urn("Host", "core-m2"), spec]);
            assert.equal(machinesIn(state), undefined);
        }
    });
});
