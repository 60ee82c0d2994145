import { strictEqual } from "node:assert/strict";
import {
    recoveryOf,
    type StackFailure,
} from "../../../../../../components/infrastructure/openstack/heat/stack-recovery";

const owner = "pulumi-nfv.owner=abc";
const exists = '{"error": {"type": "StackExists", "message": "The Stack (core) already exists."}}';
const marks = ["pulumi-nfv.cluster=core", "pulumi-nfv.stack=shop/dev", owner];

function trouble(status: string | undefined, { on = marks, ...rest }: Partial<StackFailure> & { on?: string[] } = {}) {
    const [action = "", ...state] = (status ?? "").split("_");
    const stack = {
        id: "id",
        name: "core",
        action,
        state: state.join("_") as "COMPLETE",
        reason: "",
        tags: on,
        parameters: {},
        outputs: {},
    };
    return recoveryOf({
        operation: "create",
        error: exists,
        failures: 1,
        tags: [...marks, "pulumi-nfv.generation=2"],
        machines: "blank",
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
            "DELETE_IN_PROGRESS",
            "DELETE_FAILED",
            "ROLLBACK_FAILED",
        ])
            strictEqual(trouble(status), "recreate", status);
    });

    it("never touches a stack of another owner, nor one without owner", () => {
        strictEqual(trouble("CREATE_FAILED", { on: marks }), "recreate");
        strictEqual(trouble("CREATE_FAILED", { on: [] }), "foreign");
        for (const mark of marks) {
            const [key] = mark.split("=");
            const others = marks.filter(each => each !== mark);
            strictEqual(trouble("CREATE_FAILED", { on: others }), "foreign", mark);
            strictEqual(trouble("CREATE_COMPLETE", { on: [...others, `${key}=other`] }), "foreign", mark);
        }
        strictEqual(trouble("CREATE_FAILED", { tags: ["pulumi-nfv.cluster=core"] }), "foreign");
    });

    it("never deletes what may be a living cluster whose state was lost", () => {
        for (const status of ["UPDATE_COMPLETE", "UPDATE_FAILED", "UPDATE_IN_PROGRESS", "CHECK_COMPLETE"])
            strictEqual(trouble(status), "alive", status);
        for (const status of [
            "CREATE_COMPLETE",
            "DELETE_FAILED",
            "ROLLBACK_COMPLETE",
            "ROLLBACK_FAILED",
            "ROLLBACK_IN_PROGRESS",
        ]) {
            strictEqual(trouble(status, { machines: "used" }), "alive", status);
            strictEqual(trouble(status, { machines: undefined }), "unclear", status);
        }
        strictEqual(trouble("DELETE_IN_PROGRESS", { machines: undefined }), "recreate");
        strictEqual(trouble("CREATE_FAILED", { machines: undefined }), "recreate");
    });

    it("asks the machines only where their word decides", () => {
        strictEqual(trouble("CREATE_COMPLETE", { machines: undefined, on: [] }), "foreign");
        strictEqual(trouble("CREATE_COMPLETE", { machines: undefined, operation: "update" }), "explain");
    });

    it("tells the reasons of a stack that failed while we made or changed it", () => {
        const error = "The stack is in error status";
        strictEqual(trouble("CREATE_FAILED", { error }), "explain");
        strictEqual(trouble("UPDATE_FAILED", { operation: "update", error }), "explain");
        strictEqual(trouble("DELETE_FAILED", { operation: "delete", error }), "explain");
    });

    it("never tries a change again that met another one: what Heat would replace is looked for before the first try only", () => {
        const busy = { operation: "update", error: "Stack core already has an action (UPDATE) in progress." };
        strictEqual(trouble("UPDATE_IN_PROGRESS", busy), "busy");
        strictEqual(trouble("UPDATE_COMPLETE", busy), "busy");
    });

    it("tries again while Heat holds the name of a stack that it no longer shows", () => {
        strictEqual(trouble(undefined), "again");
        strictEqual(trouble(undefined, { failures: 99 }), "none");
        strictEqual(trouble(undefined, { error: "quota exceeded" }), "none");
    });
});
