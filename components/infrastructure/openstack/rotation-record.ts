import type * as pulumi from "@pulumi/pulumi";
import { typeToken, urnOf } from "../../../provider/adapters/dynamic";
import { outputsOfCluster, ownState, stateProblem } from "../../../provider/adapters/own-state";
import type { LoginRotationState } from "../../../provider/procedures/login-key/login-rotation";

/** What the state says of the last rotation of the login key, at the start of the run. Keys have numbers: 0 is the first one. */
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

/** Numbers of login keys in a run. */
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

export interface RotatedCluster {
    clusterName: string;
    parents: { rotation: pulumi.Resource; keys: pulumi.Resource | undefined };
}

/** Reads the state of the stack. */
export function rotationRecord(name: string, { clusterName, parents }: RotatedCluster): RotationRecord {
    const type = "LoginRotation";
    const urns = [urnOf(name, type, parents.rotation), urnOf(name, "ServerKeys", parents.keys)] as const;
    const seen = Promise.all([ownState(), ...urns]).then(([state, rotation, keys]): SeenRotation => {
        const ofRotation = outputsOfCluster(state, { urn: rotation, type: typeToken(type), clusterName });
        const ofKeys = outputsOfCluster(state, { urn: keys, type: typeToken("ServerKeys"), clusterName });
        const { present, next } = (ofRotation ?? {}) as Partial<RecordedRotation>;
        const { keyNumbers = [0] } = (ofKeys ?? {}) as { keyNumbers?: number[] };
        return {
            recorded: present && { present, ...(next && { next }) },
            numbers: ofKeys === undefined ? undefined : keyNumbers,
        };
    });
    const unread = stateProblem().then(why =>
        why === undefined
            ? undefined
            : `the state of the stack cannot be read: ${why}. By it rotate.loginKey knows the key of the servers. Nothing was touched. Run pulumi up again when the stack's backend answers`,
    );
    return { seen, unread };
}
