import assert from "node:assert/strict";
import { encryptionKey, isRotated } from "../../../../../provider/procedures/encryption-key/encryption-acts";
import {
    parseRotationState,
    type RotationState,
    whyNotRotate,
} from "../../../../../provider/procedures/rotation-state";

const clusterId = "core-12345678";
const names = ["m1", "m2", "m3"];
const state = (node: string, changes: Partial<RotationState> = {}): RotationState => ({
    ...{ node, member: clusterId, ready: true, ours: true, keys: ["key1"], signs: "", etcd: true, members: names },
    ...changes,
});
const all = (changes: Partial<RotationState> = {}) => names.map(name => state(name, name === "m2" ? changes : {}));
const refused = (states: RotationState[]) => String(whyNotRotate(encryptionKey, states, clusterId)?.message ?? "");

describe("whether the encryption key may be rotated now", () => {
    it("is yes where all control-plane nodes work and etcd has no others", () => assert.equal(refused(all()), ""));

    it("is no, with the reason, before anything changes", () => {
        const reasons: [Partial<RotationState>, RegExp][] = [
            [{ member: "" }, /m2.*ROTATION_FAILED[\s\S]*no control-plane node of this cluster/],
            [{ member: "edge-1" }, /no control-plane node of this cluster/],
            [{ ready: false }, /its API server is not ready; nothing was changed/],
            [{ etcd: false }, /its etcd is not healthy/],
            [{ ours: false }, /does not use the encryption settings that pulumi-nfv writes/],
            [{ members: ["m1", "m2"] }, /does not have all control-plane nodes as members, only: m1, m2/],
            [{ members: [...names, "m9"] }, /members that the program does not: m9\. Their API servers would go on/],
        ];
        for (const [changes, reason] of reasons) assert.match(refused(all(changes)), reason);
    });

    it("is decided by what each node says of itself", () => {
        const said = `member=${clusterId}\nready=yes\nours=yes\nkeys=key-0123456789 key1 \netcd=\nmembers=m1 m2 \n`;
        assert.deepEqual(parseRotationState("m1", said), {
            ...{ node: "m1", member: clusterId, ready: true, ours: true, etcd: false },
            ...{ keys: ["key-0123456789", "key1"], signs: "", members: ["m1", "m2"] },
        });
        assert.equal(parseRotationState("m1", "").ready, false);
    });

    it("is over when each node has the new key alone", () => {
        const has = (...keys: string[]) => isRotated([state("m1", { keys: ["new"] }), state("m2", { keys })], "new");
        assert.deepEqual(
            [has("new"), has("new", "key1"), has("key1", "new"), has("key1"), has()],
            [true, false, false, false, false],
        );
    });
});
