import assert from "node:assert/strict";
import { beyondRepairs, refuseUnknownNodes, repair, repairing } from "../../../../pipeline/operations/repair";
import type { Plan } from "../../../../pipeline/plan/plan";
import type { PlannedNode } from "../../../../pipeline/plan/planned-nodes";
import type { PlannedResource } from "../../../../pipeline/plan/planned-resources";

const node = (name: string, change: PlannedNode["change"], title?: string): PlannedNode => ({
    ...{ cluster: "core", node: name, group: "workers", change, disruptions: [] },
    steps: title === undefined ? [] : [{ title, fingerprint: "0123456789ab" }],
});
const resource = (name: string, act: PlannedResource["act"], type = "openstack:compute/instance:Instance") => ({
    ...{ urn: `urn:${name}`, name, type, act, cluster: "core" },
});
const beside: PlannedResource = { urn: "urn:b", name: "app-w1-db", type: "aws:rds/instance:Instance", act: "update" };
const plan = (nodes: PlannedNode[], resources: PlannedResource[] = [], heals = true): Plan => ({
    ...{ stack: "dev", wanted: {}, warnings: [], hash: "", groups: {}, nodes, resources },
    operations: heals ? [{ cluster: "core", names: ["heal"], text: "heal w1" }] : [],
});
const stack = "openstack:orchestration/stackV1:StackV1";

describe("a run that repairs w1", () => {
    const rows: [string, Plan, RegExp[]][] = [
        ["starts its services again", plan([node("w1", "changes", "start kubelet")], [], false), []],
        [
            "makes its server again, with what belongs to it",
            plan([node("w1", "new machine")], [resource("core-w1", "create"), resource("core-w1-port", "replace")]),
            [],
        ],
        [
            "updates the stack that has its server",
            plan([node("w1", "new machine")], [resource("core", "update", stack)]),
            [],
        ],
        ["brings facts of other nodes up to date", plan([node("w1", "rejoins"), node("w2", "changes")]), []],
        ["does not take it away", plan([node("w1", "leaves")]), [/core: w1 would leave/]],
        [
            "does nothing of the program on another node",
            plan([node("w1", "rejoins"), node("w2", "changes", "set kernel parameters")]),
            [/core: w2 is not to be repaired \(changes: set kernel parameters\)/],
        ],
        ["heals no other node", plan([node("w11", "rejoins")]), [/w11 is not to be repaired/]],
        [
            "deletes nothing that left the program, and makes nothing new",
            plan(
                [node("w1", "rejoins")],
                [resource("old", "delete"), resource("core-w11", "create"), resource("w1", "delete")],
            ),
            [/old: delete: it is no part/, /core-w11: create/, /w1: delete/],
        ],
        [
            "changes nothing of other parts of the program, whatever their names",
            plan([node("w1", "rejoins")], [beside, { ...resource("app", "update", stack), cluster: "app" }]),
            [/app-w1-db: update: it is no part/, /app: update: it is no part/],
        ],
        ["updates no stack without a heal", plan([], [resource("core", "update", stack)], false), [/core: update/]],
    ];
    for (const [what, given, expected] of rows) {
        it(what, () => {
            const said = beyondRepairs(given, ["w1"]);
            assert.equal(said.length, expected.length, said.join("\n"));
            for (const [i, each] of expected.entries()) assert.match(said[i]!, each);
        });
    }

    it("tells the resources which nodes it is for, and no run of the same stack besides", () => {
        const given = { workspace: { envVars: { A: "b" } } } as never as Parameters<typeof repairing>[0];
        assert.deepEqual(repairing(given, repair(["w1", "w2"])).workspace.envVars, {
            A: "b",
            PULUMI_NFV_REPAIR: "w1 w2",
        });
        assert.deepEqual(given.workspace.envVars, { A: "b" });
        assert.equal(repairing(given, {}), given);
    });

    it("is refused for a node that the stack does not have: the error names those that it has", () => {
        const whole = { ...plan([]), groups: { core: { workers: ["w1", "w2"] } } };
        const known = ["core", "core-w1", "core-storage"];
        assert.doesNotThrow(() => refuseUnknownNodes(["w1", "core-storage"], whole, known));
        assert.throws(() => refuseUnknownNodes(["w1", "w11"], whole, known), {
            code: "INVALID_INPUT",
            message: /there is no node w11; there are w1, w2; did you mean "w1"\?/,
        });
    });

    it("is refused for what is no name of a node", () => {
        for (const names of [[], ["-o"], ["a b"], ["$(id)"]])
            assert.throws(() => repair(names), { code: "INVALID_INPUT" });
    });
});
