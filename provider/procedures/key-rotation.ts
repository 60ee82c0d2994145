import { NfvError } from "../common/errors";
import type { CommonInputs } from "../contract/types";
import { hasUnknown } from "../contract/values";
import type { RotatedKey } from "./rotation-state";

/** What the state keeps of a rotation's inputs. */
export interface StoredRotation extends CommonInputs {
    clusterId: string;
    /** The word of the program: another one rotates once more. */
    word: string;
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

/** What a program gives besides. It is secret, or only this run needs it: a former key or login would stay in the state. */
export interface RotationOfProgram<Key> {
    /** The word for which the key was made. Another one than `word` at `up`: --target leaves out ClusterKeys. */
    madeFor: string;
    /** Secret. Without a name it is the key with which the cluster was made: there is nothing to do. */
    key: Key & { secret: string; name?: string };
    /** Secret: the control-plane nodes, JSON of Peer[]. */
    peers: string;
    /** Secret: the workers, JSON of Peer[], where they are needed. */
    workers?: string;
}

/** Of the request of each rotation. */
export const ofEachRotation = { id: "word", ofRun: ["madeFor", "key", "peers", "workers"] } as const;

/** "": the key with which the cluster was made. */
export const keyNameOf = ({ name = "" }: RotationOfProgram<unknown>["key"]) => name;

/** The program has another word or key than the state says that the nodes have. */
export function isNewKey(
    { rotated, keyName }: { rotated: string; keyName: string },
    { word }: StoredRotation,
    program: RotationOfProgram<unknown> | undefined,
): boolean {
    return (
        rotated !== word || (program !== undefined && !hasUnknown([program.key]) && keyNameOf(program.key) !== keyName)
    );
}

/** @throws ROTATION_FAILED where the run leaves out the resource that makes the key */
export function inputsForWord<Given extends RotationOfProgram<unknown>>(
    { step }: RotatedKey,
    { word }: StoredRotation,
    program: Given | undefined,
): Given {
    if (program?.madeFor === word) return program;
    throw new NfvError({
        code: "ROTATION_FAILED",
        step,
        cause: `there is no key for the word "${word}", because this run leaves out the resource ClusterKeys`,
        hint: "Run pulumi up without --target and --exclude.",
    });
}

/** Whether the first rotation of a key has anything to do: a cluster that is made has the key from the start. */
export function isRotatedFirst({
    key,
    madeFor,
    word,
}: Pick<StoredRotation, "word"> & RotationOfProgram<unknown>): boolean {
    return !hasUnknown([key]) && (madeFor !== word || keyNameOf(key) !== "");
}
