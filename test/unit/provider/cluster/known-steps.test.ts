import assert from "node:assert/strict";
import {
    acceptedSteps,
    comparedStep,
    comparedTitles,
    inOrderOfRun,
    isOfCluster,
    stepOf,
} from "../../../../provider/cluster/known-steps";
import { stepLists } from "../steps/step-lists";

const listNames = ["hostSteps", "nodeSteps init", "nodeSteps join", "networkSteps", "addOnSteps"];

describe("the row of a step", () => {
    it("is found by each of its titles; a refresh compares these steps but those with a reason", async () => {
        const lists = await stepLists();
        const seen = new Set<string>();
        for (const { id, title, otherTitles: _, ...body } of listNames.flatMap(name =>
            lists[name]!.specs.flatMap(lists[name]!.bodiesOf),
        )) {
            assert.equal(stepOf(title)?.id, id);
            assert.equal(comparedStep(title), body.notCompared === undefined ? id : undefined);
            if (body.notCompared === undefined) seen.add(title);
        }
        assert.deepEqual([...comparedTitles].sort(), [...seen].sort());
    });

    it("is accepted by title or id, on all nodes or on one, each by the resource that has it", () => {
        const entries = ["set kernel parameters", "w1: node.labels", "apply kube-proxy", "set kernel parameters"];
        assert.deepEqual(acceptedSteps(entries, "w1"), ["host.sysctls", "node.labels"]);
        assert.deepEqual(acceptedSteps(entries, "w2"), ["host.sysctls"]);
        assert.deepEqual(acceptedSteps(entries), ["cluster.kube-proxy"]);
        assert.deepEqual(acceptedSteps(undefined, "w1"), []);
        assert.equal(comparedStep("wait for cloud-init"), undefined);
        assert.ok(isOfCluster(comparedStep("apply kube-proxy")!));
    });
});

describe("the order of steps in previews", () => {
    it("begins with what is no step", () => {
        const steps = [{ title: "apply kubelet settings" }, { title: "start kubelet again" }];
        assert.deepEqual(inOrderOfRun(steps), steps.reverse());
    });
});
