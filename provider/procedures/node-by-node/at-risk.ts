import { NfvError } from "../../common/errors";
import { rotationStateArgv, rotationStateScript } from "../encryption-key/encryption-acts";
import type { AskedKey } from "../rotation-on-nodes";
import { type RotationState, whyNotRotate } from "../rotation-state";

/** How control-plane nodes say that they and etcd work. */
export const stateQuestion = ({ request, step }: { request: string; step: string }): AskedKey => ({
    step,
    input: request,
    code: "QUORUM_AT_RISK",
    notOurs: { cause: "", hint: "" },
    healing:
        "All other control-plane nodes must work before one has its turn. Repair or heal it, then run pulumi up again: it goes on.",
    look: "look at the control-plane nodes",
    script: rotationStateScript,
    argv: rotationStateArgv,
});

/** Why no control-plane node may have its turn now. Pure. */
export function whyNotNext(
    question: AskedKey,
    states: readonly RotationState[],
    clusterId: string,
    controlPlane: readonly { name: string }[],
): NfvError | undefined {
    const all = states.map(state => ({ ...state, ours: true }));
    const members = [...new Set(all.flatMap(each => each.members))];
    const known = controlPlane.map(({ name }) => name);
    const others = members.filter(name => !known.includes(name));
    const error = whyNotRotate(question, all, clusterId, members);
    if (error !== undefined || others.length === 0) return error;
    // They leave behind this resource, so they still count, and may be dead.
    return new NfvError({
        code: "QUORUM_AT_RISK",
        step: question.step,
        cause: `etcd has members that the program does not: ${others.join(", ")}`,
        hint: `Take ${question.input} out of the program and run pulumi up, so that they leave. Then put it back.`,
    });
}
