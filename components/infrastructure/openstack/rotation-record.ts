import type * as pulumi from "@pulumi/pulumi";
import { typeToken, urnOf } from "../../../provider/dynamic";
import { ownState, type StateOutputs, stateProblem } from "../../../provider/own-state";
import type { LoginRotationState } from "../../../provider/resources/login-rotation";

/** What the state says of the last rotation of servers' keys, at the start of the run. Keys have numbers: 0 is the first one. */
export type RecordedRotation = Pick<LoginRotationState, "present" | "next">;

export interface SeenRotation {
    recorded?: RecordedRotation | undefined;
    /** Of the keys that ServerKeys has. Undefined: there are none yet. */
    numbers?: readonly number[] | undefined;
}

export interface RotationRecord {
    seen: Promise<SeenRotation>;
    /** Why the state does not say whether there was a rotation. */
    unread: Promise<string | undefined>;
}

/** Numbers of keys, or of seeds of keys, in a run. */
export interface NumberPlan {
    /** In use when the run begins. */
    use: number;
    /** It is made. */
    add?: number;
    /** Those with a lower number have ended. */
    before: number;
}

/** What ServerKeys gets of it. From the first rotation on there is always something: by it ServerKeys knows that there was one. */
export async function numbersAsked(plan: Promise<NumberPlan>): Promise<object | undefined> {
    const { use, add, before } = await plan;
    return add === undefined && use === 0 ? undefined : { before, ...(add !== undefined && { make: add }) };
}

interface Asked {
    type: "LoginRotation" | "HostKeyRotation";
    /** The output of ServerKeys that has the numbers. */
    numbers: "keyNumbers" | "seedNumbers";
    /** What the input knows by the state: "rotate.loginKey knows the key of the servers". */
    known: string;
    clusterName: string;
    parents: { rotation: pulumi.Resource; keys: pulumi.Resource | undefined };
}

/** Reads the state of the stack. */
export function rotationRecord(name: string, { type, numbers, known, clusterName, parents }: Asked): RotationRecord {
    const urns = [urnOf(name, type, parents.rotation), urnOf(name, "ServerKeys", parents.keys)] as const;
    const seen = Promise.all([ownState(), ...urns]).then(([state, rotation, keys]): SeenRotation => {
        const isOfCluster = (id: unknown) => typeof id === "string" && id.replace(/-[^-]*$/, "") === clusterName;
        const ofRotation = outputsOf(state, rotation, type, ({ clusterId }) => isOfCluster(clusterId));
        const ofKeys = outputsOf(state, keys, "ServerKeys", each => each["clusterName"] === clusterName);
        const { present, next } = (ofRotation ?? {}) as Partial<RecordedRotation>;
        const { [numbers]: there = [0] } = (ofKeys ?? {}) as Partial<Record<typeof numbers, number[]>>;
        return {
            recorded: present && { present, ...(next && { next }) },
            numbers: ofKeys === undefined ? undefined : there,
        };
    });
    const unread = stateProblem().then(why =>
        why === undefined
            ? undefined
            : `the state of the stack cannot be read: ${why}. By it ${known}. Nothing was touched. Run pulumi up again when the stack's backend answers`,
    );
    return { seen, unread };
}

/** By what the outputs say, where no resource has this URN: after a renaming by alias the state has the former name in the first run. */
function outputsOf(
    state: StateOutputs,
    itself: string,
    type: "ServerKeys" | Asked["type"],
    isIt: (outputs: Record<string, unknown>) => boolean,
): Record<string, unknown> | undefined {
    if (state[itself] !== undefined) return state[itself].outputs ?? {};
    const found = Object.entries(state).flatMap(([urn, resource]) =>
        urn.split("::")[2]?.endsWith(typeToken(type)) && resource?.outputs && isIt(resource.outputs)
            ? [resource.outputs]
            : [],
    );
    return found.length === 1 ? found[0] : undefined;
}
