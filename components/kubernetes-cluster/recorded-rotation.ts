import * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../../provider/dynamic";
import { isGraceOver } from "../../provider/grace";
import { ownState } from "../../provider/own-state";
import type { AuthorityRotationState } from "../../provider/resources/authority-rotation";
import { promiseOf } from "../../provider/unknown/later";
import { defaultGraceHours, type RotateArgs } from "../rotate-args";

/** What the state says of the last rotation of the authorities, at the start of the run. */
export interface RecordedRotation {
    /** The word for which there are authorities; undefined: there was no rotation. */
    word?: string;
    /** Name of these authorities; undefined as above. */
    name?: string;
    /** The nodes have no other ones. */
    ended: boolean;
    /** The nodes have no other ones, or get rid of them in this run. */
    ends: boolean;
}

/** Read before the run changes anything, so that preview and up give users the same. */
export function recordedRotation(
    name: string,
    parent: pulumi.Resource | undefined,
    { authoritiesGraceHours = defaultGraceHours }: RotateArgs,
): pulumi.Output<RecordedRotation> {
    // A bare promise: an output would depend on the parent, for which its children then wait forever.
    const urn = promiseOf(pulumi.createUrn(name, typeToken("AuthorityRotation"), parent));
    return pulumi.all([urn, ownState()]).apply(([itself, state]): RecordedRotation => {
        const recorded = state[itself]?.outputs as Partial<AuthorityRotationState> | undefined;
        if (recorded?.rotated === undefined) return { ended: false, ends: false };
        const { rotated: word, keyName: key = "", since = "", ended = false } = recorded;
        return { word, name: key, ended, ends: ended || isGraceOver({ ended, since }, authoritiesGraceHours) };
    });
}

/** The word for ClusterKeys: nodes need a bridge from the authorities that they have, so the next ones are made when a rotation has ended. */
export function wordForKeys(asked: string, { word, ended }: RecordedRotation): string {
    return word !== undefined && !ended ? word : asked;
}
