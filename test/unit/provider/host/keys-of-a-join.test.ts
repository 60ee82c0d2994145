import assert from "node:assert/strict";
import type { NodeSpec } from "../../../../provider/common/model";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { listener, machine } from "../support/cluster";
import { failureOf, threeMachines } from "../support/three-machines";

describe("a control-plane node whose join was stopped behind its keys", () => {
    const { fleet, identity } = threeMachines({ nodes: ["m1", "m2"] });
    const of = (name: string, rotated: Partial<NonNullable<NodeSpec["keys"]>>) => {
        const targets = Object.fromEntries(["m1", "m2"].map(each => [each, fleet().target(each)]));
        const made = machine(identity(), name, "controlPlane", targets[name]!, targets);
        const { spec } = made.node;
        return { ...made, node: { ...made.node, spec: { ...spec, keys: { ...spec.keys!, ...rotated } } } };
    };
    /** What the second try begins, after the first one has ended at the join. */
    const secondTry = async (rotated: Partial<NonNullable<NodeSpec["keys"]>>) => {
        const first = of("m1", {});
        await host.create(first.host, listener());
        await node.create(first.node, listener());
        const second = of("m2", rotated);
        await host.create(second.host, listener());
        fleet().node("m2").agent.failStep("cluster.join", 1, { exitCode: 1, output: "stopped\n" });
        await failureOf(node.create(second.node, listener()));
        const begun = fleet().begun().length;
        await node.create(second.node, listener());
        return fleet().begun().slice(begun);
    };

    it("gets those that the others have now: a rotation may have changed them since", async () => {
        const sealed = { firstServiceAccountKey: "sealed", firstServiceAccountPublicKey: "public" };
        const begun = await secondTry({ serviceAccountKeyName: "new", ...sealed });
        assert.deepEqual(begun.slice(0, 3), ["m2 node.keys", "m2 node.api-server-files", "m2 cluster.join"]);
    });

    it("keeps those that were never rotated", async () => {
        assert.equal((await secondTry({}))[0], "m2 cluster.join");
    });
});
