import { strictEqual } from "node:assert/strict";
import { remedyOf, type StackTrouble } from "../../../../components/openstack/stack-remedy";

const owner = "pulumi-nfv.owner=abc";
const exists = '{"error": {"type": "StackExists", "message": "The Stack (core) already exists."}}';
const now = new Date("2026-01-02T00:00:00Z");

function trouble(status: string | undefined, more: Partial<StackTrouble> & { hours?: number; tags?: string[] } = {}) {
    const { hours = 1, ...rest } = more;
    const [action = "", ...state] = (status ?? "").split("_");
    const stack = {
        id: "id",
        name: "core",
        action,
        state: state.join("_") as "COMPLETE",
        reason: "",
        tags: ["pulumi-nfv.cluster=core", owner],
        outputs: {},
        createdAt: new Date(now.getTime() - hours * 3600 * 1000),
    };
    return remedyOf({
        operation: "create",
        error: exists,
        failures: 1,
        tags: ["pulumi-nfv.cluster=core", owner],
        now,
        ...(status !== undefined && { stack }),
        ...rest,
    });
}

describe("what to do when the stack's operation failed", () => {
    it("makes a stack anew that a killed or failed run has left", () => {
        for (const status of [
            "CREATE_IN_PROGRESS",
            "CREATE_FAILED",
            "CREATE_COMPLETE",
            "DELETE_FAILED",
            "ROLLBACK_FAILED",
        ])
            strictEqual(trouble(status), "recreate", status);
    });

    it("never touches a stack of another owner, nor one without owner", () => {
        strictEqual(trouble("CREATE_FAILED", { tags: ["pulumi-nfv.owner=other"] }), "foreign");
        strictEqual(trouble("CREATE_FAILED", { tags: [] }), "foreign");
    });

    it("never deletes what may be a living cluster whose state was lost", () => {
        for (const status of ["UPDATE_COMPLETE", "UPDATE_FAILED", "UPDATE_IN_PROGRESS", "CHECK_COMPLETE"])
            strictEqual(trouble(status), "alive", status);
        strictEqual(trouble("CREATE_COMPLETE", { hours: 25 }), "alive");
        strictEqual(trouble("CREATE_FAILED", { hours: 25 }), "recreate");
    });

    it("tells the reasons of a stack that failed while we made or changed it", () => {
        const error = "The stack is in error status";
        strictEqual(trouble("CREATE_FAILED", { error }), "explain");
        strictEqual(trouble("UPDATE_FAILED", { operation: "update", error }), "explain");
        strictEqual(trouble("DELETE_FAILED", { operation: "delete", error }), "explain");
    });

    it("waits for a change that is under way, but not for ever", () => {
        const busy = { operation: "update", error: "Stack core already has an action (UPDATE) in progress." };
        strictEqual(trouble("UPDATE_IN_PROGRESS", busy), "wait");
        strictEqual(trouble("UPDATE_IN_PROGRESS", { ...busy, failures: 9 }), "explain");
    });

    it("tries again while Heat holds the name of a stack that it no longer shows", () => {
        strictEqual(trouble(undefined), "again");
        strictEqual(trouble(undefined, { failures: 99 }), "none");
        strictEqual(trouble(undefined, { error: "quota exceeded" }), "none");
    });
});
