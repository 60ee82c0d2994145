import { deepStrictEqual } from "node:assert/strict";
import { type Role, whatRolls } from "../../../../../provider/cluster-api/workload/workload-roles";

const role = (changes: Partial<Role> = {}): Role => ({
    version: "v1.34.4",
    servers: "s-1",
    config: "c-1",
    replicas: 3,
    ...changes,
});
const before = { "control-plane": role(), md: role({ replicas: 2 }) };

describe("what a change means for the machines of a workload cluster", () => {
    for (const [title, after, lines] of [
        ["nothing", before, []],
        [
            "another version",
            { "control-plane": role({ version: "v1.34.5" }), md: role({ replicas: 2, version: "v1.34.5" }) },
            [
                "w1: control plane: 3 machines will be replaced, one after the other: Kubernetes v1.34.4 → v1.34.5",
                "w1: pool md: 2 machines will be replaced, one after the other: Kubernetes v1.34.4 → v1.34.5",
            ],
        ],
        ["more machines", { ...before, md: role({ replicas: 3 }) }, ["w1: pool md: 1 machine will be added"]],
        ["fewer machines", { ...before, md: role({ replicas: 0 }) }, ["w1: pool md: 2 machines will be removed"]],
        [
            "other servers and one more",
            { ...before, md: role({ replicas: 3, servers: "s-2" }) },
            [
                "w1: pool md: 2 machines will be replaced, one after the other: other servers (flavor, image, volumes, ports); 1 machine will be added",
            ],
        ],
        ["a pool that goes", { "control-plane": role() }, ["w1: pool md: 2 machines will be removed"]],
        ["a pool that comes", { ...before, gpu: role({ replicas: 1 }) }, ["w1: pool gpu: 1 machine will be made"]],
        [
            "an autoscaler that takes over",
            { ...before, md: role({ replicas: -1 }) },
            ["w1: pool md: an autoscaler may change the number of machines"],
        ],
    ] as [string, Record<string, Role>, string[]][]) {
        it(`${title}`, () => deepStrictEqual(whatRolls("w1", before, after), lines));
    }
    it("a number that was an autoscaler's", () => {
        const scaled = { ...before, md: role({ replicas: -1 }) };
        const lines = ["w1: pool md: 2 machines, whatever an autoscaler has set"];
        deepStrictEqual(whatRolls("w1", scaled, before), lines);
        deepStrictEqual(whatRolls("w1", scaled, scaled), []);
    });
    it("a cluster that is made: nothing to say", () => deepStrictEqual(whatRolls("w1", undefined, before), []));
});
