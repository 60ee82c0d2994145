import assert from "node:assert/strict";
import {
    parseRotationState,
    type RotationState,
    whyNotRotate,
} from "../../../../../provider/procedures/rotation-state";
import {
    allSign,
    isAlone,
    serviceAccountKey,
} from "../../../../../provider/procedures/service-account-key/service-account-acts";

const state = (node: string, signs: string, ...keys: string[]): RotationState => ({
    ...{ node, member: "core-1", ready: true, ours: true, etcd: true, members: ["m1", "m2"] },
    ...{ signs, keys },
});

describe("the stages of a rotation of the service-account key", () => {
    it("are done when all nodes sign with the new key, and over when none accepts another one", () => {
        const both = [state("m1", "new", "new", "old"), state("m2", "new", "new", "old")];
        const half = [both[0]!, state("m2", "old", "new", "old")];
        const alone = [state("m1", "new", "new"), state("m2", "new", "new")];
        assert.deepEqual(
            [half, both, alone].map(states => [allSign(states, "new"), isAlone(states, "new")]),
            [
                [false, false],
                [true, false],
                [true, true],
            ],
        );
    });

    it("go by what each node says", () => {
        const said = "member=core-1\nready=yes\netcd=yes\nmembers=m1 m2 \nours=yes\nkeys=new old \nsigns=old\n";
        assert.deepEqual(parseRotationState("m1", said), state("m1", "old", "new", "old"));
    });

    it("do not begin where a node uses keys of somebody else", () => {
        const refused = whyNotRotate(
            serviceAccountKey,
            [state("m1", "a", "a"), { ...state("m2", "a", "a"), ours: false }],
            "core-1",
        );
        assert.match(String(refused?.message), /m2: rotate the service-account key: ROTATION_FAILED[\s\S]*other files/);
        assert.match(String(refused?.message), /take rotate\.serviceAccountKey out of the program/);
    });
});
