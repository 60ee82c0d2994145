import assert from "node:assert/strict";
import { askedWords, isAsked } from "../../../../pipeline/plan/asked-words";
import { acted } from "../engine-events";

const spec = (value: object) => JSON.stringify(value);

describe("the words under which a program asks for what happens once", () => {
    it("are those of resources that act, and of those that stay as they are", () => {
        const deleted = acted("delete", "EtcdRestore", "core", { old: { inputs: { requestId: "z" } } });
        Object.assign(deleted.resourcePreEvent!.metadata, { new: null });
        const asked = askedWords([
            deleted,
            acted("same", "OperationStart", "core", { next: { inputs: { heals: { run: "job-7", nodes: {} } } } }),
            acted("update", "OperationStart", "edge", { next: { inputs: {} } }),
            acted("same", "EtcdBackup", "core-m1", { next: { inputs: { spec: spec({ backup: { run: "a" } }) } } }),
            acted("same", "EtcdBackup", "core-m2", { next: { inputs: { spec: spec({ backup: { keep: {} } }) } } }),
            acted("create", "EtcdRestore", "core", { next: { inputs: { requestId: "b" } } }),
            acted("same", "AuthorityRotation", "core", { next: { inputs: { word: "c" } } }),
            acted("delete", "LoginRotation", "core", { old: { inputs: { word: "d" } } }),
            acted("same", "other:index:EtcdRestore", "mine", { next: { inputs: { requestId: "e" } } }),
        ]);
        assert.deepEqual(asked, {
            ...{ OperationStart: ["job-7"], EtcdBackup: ["a"], EtcdRestore: ["b"], AuthorityRotation: ["c"] },
        });
        assert.equal(isAsked(asked, "EtcdBackup", "a"), true);
        assert.equal(isAsked(asked, "EtcdBackup", "b"), false);
        assert.equal(isAsked(asked, "LoginRotation", "d"), false);
    });

    it("may be any where the engine does not know them yet", () => {
        const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
        const asked = askedWords([
            acted("create", "EtcdRestore", "core", { next: { inputs: { requestId: unknown } } }),
        ]);
        assert.equal(isAsked(asked, "EtcdRestore", "b"), true);
    });
});
