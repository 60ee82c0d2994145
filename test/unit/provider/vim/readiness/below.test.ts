import { deepStrictEqual } from "node:assert/strict";
import { ownedBy } from "../../../../../provider/vim/readiness/below";

const owned = (uid: string, ...owners: string[]) => ({
    metadata: { name: uid, uid, ownerReferences: owners.map(each => ({ uid: each })) },
});

describe("the objects below an object", () => {
    it("are those that it owns, directly or through others, each once, with their distance", () => {
        const objects = [
            owned("machine", "set"),
            owned("server", "machine"),
            owned("set", "cluster"),
            owned("other", "somebody"),
            owned("secret", "set", "cluster"),
        ];
        const found = ownedBy("cluster", objects).map(({ metadata, depth }) => [metadata.uid, depth]);
        deepStrictEqual(found, [
            ["set", 1],
            ["secret", 1],
            ["machine", 2],
            ["server", 3],
        ]);
        deepStrictEqual(ownedBy(undefined, objects), []);
    });

    it("end where objects own each other", () => {
        deepStrictEqual(ownedBy("a", [owned("b", "a", "c"), owned("c", "b")]).length, 2);
    });
});
