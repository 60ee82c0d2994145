import assert from "node:assert/strict";
import { describeDue, dueHooks, type KnownHook, keyOf } from "../../../../../provider/operation/hooks/due";
import type { RecordedOperation } from "../../../../../provider/operation/hooks/facts";
import { specOf } from "./fixtures";

const operation = (id: string, kind: RecordedOperation["kind"], rollbackOf?: string): RecordedOperation => ({
    ...{ id, kind, added: [], removed: [], replaced: [], changed: [], reasons: [], before: {}, after: {} },
    ...(rollbackOf !== undefined && { rollbackOf }),
});
const dns: KnownHook = { hook: specOf({ name: "dns" }), events: ["scaleStart", "scaleEnd", "healStart"] };
const bill: KnownHook = { hook: specOf({ name: "bill" }), events: ["scaleStart", "healStart"] };

describe("the hooks that are due", () => {
    it("come operation by operation, then in the program's order", () => {
        const due = dueHooks([dns, bill], [operation("7", "scale"), operation("8", "heal")], "start");
        assert.deepEqual(due.map(keyOf), [
            ...["7 scale_start dns", "7 scale_start bill", "8 heal_start dns", "8 heal_start bill"],
        ]);
    });

    it("are those that have a part for the event", () => {
        assert.deepEqual(dueHooks([dns, bill], [operation("7", "scale")], "end").map(keyOf), ["7 scale_end dns"]);
        assert.deepEqual(dueHooks([dns, bill], [operation("7", "terminate")], "end"), []);
        assert.deepEqual(dueHooks([dns, bill], [operation("8", "scale", "7")], "end"), []);
        assert.deepEqual(dueHooks([dns, bill], [], "start"), []);
    });

    const withNodes: RecordedOperation = {
        ...operation("7", "scale"),
        after: { m1: { role: "controlPlane" }, w1: { role: "worker", pool: "edge" } },
    };
    const table: [title: string, change: Parameters<typeof specOf>[0], text: string][] = [
        ["a script here", {}, "(script hook.sh, 0123456789ab) on this machine"],
        ["a module", { kind: "module", files: ["d.ts"] }, "(module d.ts, 0123456789ab) on this machine"],
        ["a script on all nodes", { nodes: {} }, "(script hook.sh, 0123456789ab) on all nodes"],
        [
            "on the first of a role",
            { nodes: { role: "controlPlane", first: true } },
            "(script hook.sh, 0123456789ab) on the first of: control-plane nodes",
        ],
        [
            "on workers of a pool by name",
            { nodes: { names: ["w1", "w2"], pool: "edge", role: "worker" } },
            "(script hook.sh, 0123456789ab) on w1, w2, pool edge, workers",
        ],
        [
            "manifests",
            { kind: "manifests", files: ["a.yaml", "b.yaml"] },
            "(manifests a.yaml, b.yaml, 0123456789ab) in the cluster",
        ],
        [
            "manifests that are deleted",
            { kind: "manifests", files: ["a.yaml"], action: "delete" },
            "(delete manifests a.yaml, 0123456789ab) in the cluster",
        ],
    ];
    for (const [title, change, text] of table)
        it(`are shown to a person: ${title}`, () => {
            const due = { hook: specOf(change), event: "scaleEnd", operation: withNodes } as const;
            assert.equal(describeDue(due), `scale_end: mgmt ${text}`);
        });

    it("say where no node fits: at a start of those before, at an end of those after", () => {
        const hook = specOf({ nodes: { names: ["w1"] } });
        const operation = { ...withNodes, before: {} };
        assert.match(
            describeDue({ hook, event: "scaleStart", operation }),
            / on w1, but no node fits: it runs nowhere$/,
        );
        assert.match(describeDue({ hook, event: "scaleEnd", operation }), / on w1$/);
    });
});
