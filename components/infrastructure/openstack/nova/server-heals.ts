import * as pulumi from "@pulumi/pulumi";
import type { OperationStart } from "../../../../provider/adapters/dynamic";
import { orPlaceholder } from "../../../../provider/adapters/or-placeholder";
import { ownState, type StateOutputs } from "../../../../provider/adapters/own-state";
import { NfvError } from "../../../../provider/common/errors";
import { type Heals, serverHealUpTo } from "../../../../provider/operation/heals";
import { isReplacement } from "../../../../provider/operation/replacements";
import { doneIn } from "../../replacing";

/** Node → number of the last heal that gives it a new server: another number replaces the server. Undefined: it was never healed so. */
export type ServerHealOf = (node: string) => pulumi.Output<number | undefined>;

/**
 * A heal that the program does not ask for any more is done only if it has begun: the former number keeps the server. The Node tells, which leaves before
 * its server is deleted.
 */
export function serverHeals(
    { heals }: Pick<OperationStart, "heals">,
    isAsked: (node: string, heals: Heals) => boolean,
    clusterId: pulumi.Input<string>,
    readState: () => Promise<StateOutputs> = ownState,
): ServerHealOf {
    // A heal has a number only where there is a state. One that cannot be read would look like one without the node, whose server then goes.
    const state = async () => {
        const read = await readState();
        if (Object.keys(read).length > 0) return read;
        throw new NfvError({
            code: "INVALID_INPUT",
            step: "heal",
            cause: "the stack's state cannot be read, so whether a heal with a new server was done is not known; no server was touched",
            hint: "Run it again when the stack's backend answers.",
        });
    };
    const known = pulumi.all([orPlaceholder<Heals | undefined>(heals, undefined), clusterId]);
    return node =>
        known.apply(async ([all, id]) => {
            if (all?.servers?.[node] === undefined) return undefined;
            const asked = isAsked(node, all);
            // The turns of replacements come from the state, too: without it all servers would go at once.
            const read = asked && !isReplacement(all, node) ? {} : await state();
            const number = asked ? undefined : doneIn(read, `${id}/${node}`);
            return serverHealUpTo(all, node, number ?? Number.POSITIVE_INFINITY);
        });
}
