import { randomBytes } from "node:crypto";
import { type CnfClaim, requireFree } from "./cnf-objects";
import type { CommonInputs, ResourceType } from "./types";

export interface OwnerMarkInputs extends CommonInputs {
    /** Who owns: in the mark for people. */
    name: string;
    /** Made by the first check and kept for ever: a run that is killed finds its own objects again by it. */
    mark?: string;
    /**
     * What the owner is about to make: looked at before the mark is in the state. A Cnf with a new name that is refused then has no mark
     * yet, and an alias still leads to the former one's.
     */
    claim?: CnfClaim;
}

/**
 * The mark that an owner's objects in a cluster carry. It is random and lives in the state, so it stays when a resource or a stack is
 * renamed, and two stacks of one name never have the same. It is made before the first object.
 */
export const ownerMark: ResourceType<OwnerMarkInputs, OwnerMarkInputs> = {
    check: (olds, news) => {
        const { claim: _, ...kept } = news;
        return olds.mark === undefined
            ? { inputs: { ...news, mark: `${news.name}-${randomBytes(6).toString("hex")}` } }
            : { inputs: { ...kept, mark: olds.mark } };
    },
    diff: () => ({ changes: false }),
    create: async ({ claim, ...inputs }, context) => {
        if (claim !== undefined) await requireFree(claim, inputs.mark!, false, context);
        return { id: inputs.mark!, outs: inputs };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds) => ({ outs: olds }),
    delete: async () => {},
};
