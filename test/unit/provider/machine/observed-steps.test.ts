import assert from "node:assert/strict";
import {
    acceptedSteps,
    comparedStep,
    comparedSteps,
    isOfCluster,
    notCompared,
} from "../../../../provider/machine/observed-steps";
import { stepLists } from "../steps/step-lists";

describe("the steps that a refresh compares", () => {
    it("are all steps of machines and of the pod network but those with a reason, by all their titles", async () => {
        const lists = await stepLists();
        const seen: Record<string, Set<string>> = {};
        for (const name of ["hostSteps", "nodeSteps init", "nodeSteps join", "networkSteps", "addOnSteps"])
            for (const { id, title } of lists[name]!.specs.flatMap(lists[name]!.bodiesOf))
                seen[id] = new Set([...(seen[id] ?? []), title]);
        const left = Object.keys(seen).filter(id => notCompared[id] === undefined);
        assert.deepEqual(left.sort(), Object.keys(comparedSteps).sort());
        for (const [id, titles] of Object.entries(comparedSteps)) assert.deepEqual(new Set(titles), seen[id], id);
        assert.deepEqual(
            Object.keys(notCompared).filter(id => seen[id] === undefined),
            [],
        );
    });

    it("are accepted by title or id, on all nodes or on one, each by the resource that has it", () => {
        const entries = ["set kernel parameters", "w1: node.labels", "apply kube-proxy", "set kernel parameters"];
        assert.deepEqual(acceptedSteps(entries, "w1"), ["host.sysctls", "node.labels"]);
        assert.deepEqual(acceptedSteps(entries, "w2"), ["host.sysctls"]);
        assert.deepEqual(acceptedSteps(entries), ["cluster.kube-proxy"]);
        assert.deepEqual(acceptedSteps(undefined, "w1"), []);
        assert.equal(comparedStep("wait for cloud-init"), undefined);
        assert.ok(isOfCluster(comparedStep("apply kube-proxy")!));
    });
});
