import { NfvError } from "../../common/errors";
import { rotationStateArgv, rotationStateScript } from "../encryption-key/encryption-acts";
import type { AskedKey } from "../rotation-on-nodes";
import { type RotationState, whyNotRotate } from "../rotation-state";

/** How control-plane nodes say that they and etcd work. */
export const askedOf = ({ request, step }: { request: string; step: string }): AskedKey => ({
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
    asked: AskedKey,
    states: readonly RotationState[],
    clusterId: string,
    masters: readonly { name: string }[],
): NfvError | undefined {
    const all = states.map(state => ({ ...state, ours: true }));
    const members = [...new Set(all.flatMap(each => each.members))];
    const known = masters.map(({ name }) => name);
    const others = members.filter(name => !known.includes(name));
    const error = whyNotRotate(asked, all, clusterId, members);
    if (error !== undefined || others.length === 0) return error;
    // They leave behind this resource, so they still count, and may be dead.
    return new NfvError({
        code: "QUORUM_AT_RISK",
        step: asked.step,
        cause: `etcd has members that the program does not: ${others.join(", ")}`,
        hint: `Take ${asked.input} out of the program and run pulumi up, so that they leave. Then put it back.`,
    });
}
