import * as pulumi from "@pulumi/pulumi";
import { type OperationStart, typeToken } from "../../../../provider/dynamic";
import { NfvError } from "../../../../provider/errors";
import { ownState, type StateOutputs } from "../../../../provider/own-state";
import { type Heals, serverHealUpTo } from "../../../../provider/resources/heals";
import { orPlaceholder } from "../../../../provider/unknown/or-placeholder";

/** Node → number of the last heal that gives it a new server: another number replaces the server. Undefined: it was never healed so. */
export type ServerHealOf = (node: string) => pulumi.Output<number | undefined>;

/**
 * A heal that the program does not ask for any more is done only if it has begun: the former number keeps the server. The Node tells, which leaves before
 * its server is deleted.
 */
export function serverHeals(
    { heals }: Pick<OperationStart, "heals">,
    isAsked: (node: string) => boolean,
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
            const number = isAsked(node) ? undefined : doneIn(await state(), `${id}/${node}`);
            return serverHealUpTo(all, node, number ?? Number.POSITIVE_INFINITY);
        });
}

/** Number of the last heal that a Node's state has as done; undefined if the state has no such Node. */
export function doneIn(state: StateOutputs, wholeName: string): number | undefined {
    const found = Object.entries(state).find(
        ([urn, resource]) =>
            urn.split("::")[2]?.endsWith(typeToken("Node")) && wholeNameOf(resource?.outputs?.["spec"]) === wholeName,
    );
    return found && ((found[1]?.outputs?.["heal"] as number | undefined) ?? 0);
}

/** A spec is stored as JSON; see provider/resources/stored-machine.ts. */
function wholeNameOf(spec: unknown): string | undefined {
    if (typeof spec !== "string") return undefined;
    const { clusterId, name } = JSON.parse(spec) as Record<string, unknown>;
    return `${clusterId}/${name}`;
}
