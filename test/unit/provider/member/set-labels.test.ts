import assert from "node:assert/strict";
import type { NodeSpec } from "../../../../provider/common/model";
import { setLabels } from "../../../../provider/member/set-labels";
import { runWithKubectl } from "../network/fake-kubectl";

const taints = [
    { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
    { key: "gpu", value: "yes", effect: "NoExecute" },
];
const step = setLabels({ name: "m2", labels: { tier: "core" }, annotations: {}, taints } as unknown as NodeSpec)!;

/** What kubectl was asked. `known`: labels, annotations and taints that were ours, and our cordon. */
function label(known: string): string[] {
    const ran = runWithKubectl(step.run!, step.env!, [{ when: /jsonpath/, stdout: known }]);
    assert.equal(ran.code, 0, ran.stderr);
    return ran.calls.map(call => call.split(" ").slice(1).join(" "));
}
const verbs = (calls: string[]) => calls.map(call => call.split(" ")[0]);

describe("labels and taints", () => {
    it("of a node that has just joined are set, and the lists of what is ours noted, by one patch", () => {
        const calls = label("||||");
        assert.deepEqual(verbs(calls), ["get", "taint", "patch"]);
        assert.match(step.env!["PATCH"]!, /"labels":\{"tier":"core"\}.*"pulumi-nfv\.dev\/labels":"tier"/);
    });

    it("that were ours and are wanted no more are taken away", () => {
        const calls = label("old tier|note|gone:NoSchedule||");
        assert.deepEqual(verbs(calls), ["get", "label", "annotate", "taint", "taint", "patch"]);
        for (const key of ["old-", "note-", "gone:NoSchedule-"])
            assert.ok(
                calls.some(call => call.includes(` ${key}`)),
                key,
            );
        assert.ok(!calls.some(call => call.includes(" tier-")));
    });

    for (const [who, note, wanted] of [
        ["a drain of ours", "leaving", ["get", "uncordon", "annotate", "taint", "patch"]],
        ["a person", "", ["get", "taint", "patch"]],
    ] as const) {
        it(`of a node that ${who} has cordoned`, () => assert.deepEqual(verbs(label(`|||${note}|`)), wanted));
    }
});
