import assert from "node:assert/strict";
import type { ControlPlaneKeys } from "../../../../../provider/common/model";
import { parseMachineStatus } from "../../../../../provider/kubeadm/machine-status";
import { whyNotByThisState } from "../../../../../provider/member/join/first-keys";

describe("a state of the stack from before a rotation", () => {
    const first = {} as ControlPlaneKeys;
    const kinds: [kind: string, input: string, later: Partial<ControlPlaneKeys>][] = [
        ["encryption", "rotate.encryptionKey", { encryptionKeyName: "key-1" }],
        ["service-account", "rotate.serviceAccountKey", { serviceAccountKeyName: "kid" }],
        [
            "authorities",
            "rotate.authorities",
            { firstAuthorities: {} as ControlPlaneKeys["firstAuthorities"] & object },
        ],
    ];
    const why = (keys: ControlPlaneKeys | undefined, ...rotated: string[]) =>
        whyNotByThisState({ clusterId: "core-1", name: "m1", ...(keys && { keys }), rotated });

    for (const [kind, input, later] of kinds)
        it(`is recognised by what a control-plane node notes of ${input}`, () => {
            const { code, node, message, hint } = why(first, `core-1 ${kind}`)!;
            assert.deepEqual([code, node], ["ROTATION_FAILED", "m1"]);
            assert.match(message, new RegExp(`is from before ${input} of this cluster`));
            assert.match(hint, /pulumi stack import/);
            assert.equal(why({ ...first, ...later }, `core-1 ${kind}`), undefined);
        });

    it("is not seen in notes of another cluster, on a worker, or in a cluster without a rotation", () => {
        assert.equal(why(first, "edge-2 encryption"), undefined);
        assert.equal(why(undefined, "core-1 encryption"), undefined);
        assert.equal(why(first), undefined);
    });

    it("meets notes that the machine's facts have, as lines of their own", () => {
        const said = "memberOf=core-1\nrotated=core-1 encryption\nrotated=core-1 authorities\n";
        assert.deepEqual(parseMachineStatus(said).rotated, ["core-1 encryption", "core-1 authorities"]);
        assert.equal(parseMachineStatus("memberOf=core-1\n").rotated, undefined);
    });
});
