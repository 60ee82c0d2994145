import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { CheckFailure, CommonInputs, InSession, ResourceType } from "../contract/types";
import { failuresOf, hasUnknown, text } from "../contract/values";
import type { RotatedKey } from "./rotation-state";

/** What the state keeps of a rotation's inputs. */
export interface StoredRotation extends CommonInputs {
    clusterId: string;
    /** The word of the program: another one rotates once more. */
    word: string;
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

/** What a program gives besides. It is secret, or only this run needs it. */
export interface GivenRotation<Key> {
    /** The word for which the key was made. Another one than `word` at `up`: --target leaves out ClusterKeys. */
    madeFor: string;
    /** Secret. Without a name it is the key with which the cluster was made: there is nothing to do. */
    key: Key & { secret: string; name?: string };
    /** Secret: the control-plane nodes, JSON of Peer[]. */
    peers: string;
    /** Secret: the workers, JSON of Peer[], where they are needed. */
    workers?: string;
}

/** "": the key with which the cluster was made. */
export const keyNameOf = ({ name = "" }: GivenRotation<unknown>["key"]) => name;

/** What the program gives of one kind of rotation in this run. No key and no login is stored: a former one would stay in the state. */
export function givenRotations<Inputs extends StoredRotation & GivenRotation<unknown>>(
    type: string,
    { step }: RotatedKey,
) {
    const givenIn = (context: InSession | undefined, clusterId: string) =>
        context && runFacts(context).program.ofCluster<Inputs>(type, clusterId)?.news;
    return {
        /** Leaves what the state keeps. */
        check: (news: Inputs): { inputs: Inputs; failures: CheckFailure[] } => {
            const { madeFor: _, key: __, peers: ___, workers: ____, ...stored } = news;
            const inputs = stored as unknown as Inputs;
            return { inputs, failures: failuresOf(news, { clusterId: text, word: text }) };
        },
        /** The program has another word or key than the state says that the nodes have. */
        isNew: (
            { rotated, keyName }: { rotated: string; keyName: string },
            { clusterId, word }: StoredRotation,
            context: InSession | undefined,
        ): boolean => {
            const given = givenIn(context, clusterId);
            return (
                rotated !== word ||
                (given !== undefined && !hasUnknown([given.key]) && keyNameOf(given.key) !== keyName)
            );
        },
        /** @throws ROTATION_FAILED where the run leaves out the resource that makes the key */
        forWord: ({ clusterId, word }: StoredRotation, context: InSession): Inputs => {
            const given = givenIn(context, clusterId);
            if (given?.madeFor === word) return given;
            throw new NfvError({
                code: "ROTATION_FAILED",
                step,
                cause: `there is no key for the word "${word}", because this run leaves out the resource ClusterKeys`,
                hint: "Run pulumi up without --target and --exclude.",
            });
        },
    };
}

/** For preview: what happens on each node. */
export const nodeLines = (nodes: Record<string, string>): string =>
    Object.entries(nodes)
        .map(([node, what]) => `${node}: ${what}`)
        .join("\n");

/** What preview says of the first rotation of a key: the engine asks for no difference where a resource is made. A cluster that is made has the key from the start. */
export function notesOfFirst(
    olds: object,
    { key, madeFor, word }: Pick<StoredRotation, "word"> & GivenRotation<unknown>,
    note: string,
): string[] {
    const isMade = Object.keys(olds).length > 0;
    if (isMade || hasUnknown([key]) || (madeFor === word && keyNameOf(key) === "")) return [];
    return [note];
}

/** A rotation has nothing to look at or to undo by itself. */
export function keepsItsState<Inputs extends object, State extends object>(): Pick<
    ResourceType<Inputs, State>,
    "read" | "delete"
> {
    return { read: async (id, state) => ({ id, props: state }), delete: async () => {} };
}
