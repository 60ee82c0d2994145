import { randomBytes } from "node:crypto";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, ResourceType } from "../contract/types";
import { type CnfClaim, requireFree } from "./cnf-objects";

export interface OwnerMarkInputs extends CommonInputs {
    /** Name of the owner, for people; part of the mark. */
    name: string;
    /** Created by the first check and kept forever: after a killed run, the next one finds its own objects by it. */
    mark?: string;
    /**
     * What the owner is about to create. It is checked before the mark is in the state: if a renamed Cnf is refused, it
     * has no mark yet, and an alias still leads to the former Cnf's.
     */
    claim?: CnfClaim;
}

/**
 * The mark on an owner's objects in a cluster. It is random and stored in the state. So it stays when a resource or a
 * stack is renamed, and two stacks of one name never share it. It is created before the first object.
 */
export const ownerMark: ResourceType<OwnerMarkInputs, OwnerMarkInputs> = {
    check: (olds, news, context) => {
        const { claim: _, ...kept } = news;
        if (olds.mark !== undefined) return { inputs: { ...kept, mark: olds.mark } };
        const mark = `${news.name}-${randomBytes(6).toString("hex")}`;
        if (context !== undefined) runFacts(context).program.freshMarks.add(mark);
        return { inputs: { ...news, mark } };
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
