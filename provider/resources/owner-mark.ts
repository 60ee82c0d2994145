import { randomBytes } from "node:crypto";
import type { CommonInputs, ResourceType } from "./types";

export interface OwnerMarkInputs extends CommonInputs {
    /** Who owns: in the mark for people. */
    name: string;
    /** Made by the first check and kept for ever: a run that is killed finds its own objects again by it. */
    mark?: string;
}

/**
 * The mark that an owner's objects in a cluster carry. It is random and lives in the state, so it stays when a resource or a stack is
 * renamed, and two stacks of one name never have the same. It is made before the first object.
 */
export const ownerMark: ResourceType<OwnerMarkInputs, OwnerMarkInputs> = {
    check: (olds, news) => ({
        inputs: { ...news, mark: olds.mark ?? `${news.name}-${randomBytes(6).toString("hex")}` },
    }),
    diff: () => ({ changes: false }),
    create: async inputs => ({ id: inputs.mark!, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds) => ({ outs: olds }),
    delete: async () => {},
};
