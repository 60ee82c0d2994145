import assert from "node:assert/strict";
import { openHealsIn } from "../../../../components/kubernetes-cluster/open-heals";

const urn = (type: string, name: string) =>
    `urn:pulumi:dev::p::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;
const clusterId = "core-12345678";

/** The state after the start of an operation, with the numbers of the Nodes' last heals, and their addresses. */
const state = (heals: Record<string, number>, nodes: Record<string, { heal?: number; address?: string }>) => ({
    [urn("OperationStart", "core")]: {
        outputs: {
            spec: {
                clusterId,
                backEnd: "hosts",
                nodes: Object.fromEntries(["m1", "m2", "w1"].map(name => [name, { machine: `10.0.0.${name}` }])),
            },
            heals: { run: "one", nodes: heals },
        },
    },
    ...Object.fromEntries(
        Object.entries(nodes).map(([name, { heal, address = `10.0.0.${name}` }]) => [
            urn("Node", `core-${name}`),
            { outputs: { spec: JSON.stringify({ clusterId, name, address }), ...(heal !== undefined && { heal }) } },
        ]),
    ),
});
const open = (of: ReturnType<typeof state>, requested = true) => openHealsIn(of, clusterId, () => requested);

describe("heals that an earlier run has recorded", () => {
    it("are open until the Node has their number", () => {
        assert.deepEqual(open(state({ m2: 1, w1: 1 }, { m1: {}, m2: {}, w1: { heal: 1 } })), ["m2"]);
        assert.deepEqual(open(state({ m2: 2 }, { m1: {}, m2: { heal: 1 } })), ["m2"]);
        assert.deepEqual(open(state({ m2: 1 }, { m1: {}, m2: { heal: 1 } })), []);
    });

    it("are none where the program does not request them any more", () => {
        assert.deepEqual(open(state({ m2: 1 }, { m1: {}, m2: {} }), false), []);
    });

    it("are also nodes that are still on their previous machine", () => {
        assert.deepEqual(open(state({}, { m1: {}, m2: { address: "10.0.9.9" } }), false), ["m2"]);
    });

    it("are none of a cluster that the state does not have", () => {
        assert.deepEqual(open({}), []);
        assert.deepEqual(
            openHealsIn(state({ m2: 1 }, { m2: {} }), "other-1", () => true),
            [],
        );
    });
});
