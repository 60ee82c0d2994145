import type * as pulumi from "@pulumi/pulumi";
import { valueIfKnown } from "../../provider/adapters/later";
import { orPlaceholder } from "../../provider/adapters/or-placeholder";
import type { HealInput } from "../../provider/operation/heals";
import { type Asking, asksToHeal, stillAsks } from "../infrastructure/heal-wish";
import type { NodeMachine, Provisioned } from "../infrastructure/infrastructure";

/** Heals of the cluster's nodes. */
export interface Healing {
    /** Inputs of the node; undefined for one that was never healed. */
    inputsOf(node: string): { [K in keyof HealInput]-?: pulumi.Output<HealInput[K]> };
    /** Of the workers that the program heals: the one that must have joined again before this one leaves. */
    before(node: string): string | undefined;
    /** Whether a heal of the node was ever asked for. */
    wasAsked(node: string): Promise<boolean>;
}

export function healing(
    args: Asking,
    {
        start,
        nodes,
        maxUnavailable,
    }: Pick<Provisioned, "start"> & {
        nodes: readonly NodeMachine[];
        maxUnavailable: Record<string, number>;
    },
): Healing {
    const heals = orPlaceholder(start.heals, undefined);
    const named = (node: string) => nodes.find(({ name }) => name === node)!;
    const numberOf = (node: string) => heals.apply(all => all?.nodes[node]);
    return {
        inputsOf: node => ({
            heal: numberOf(node),
            healWithdrawn: heals.apply(all =>
                all?.nodes[node] === undefined || stillAsks(args, named(node), all) ? undefined : true,
            ),
        }),
        before: node => {
            const { pool = "" } = named(node);
            const healed = nodes.filter(each => each.pool === pool && asksToHeal(args, each.name));
            const at = healed.findIndex(({ name }) => name === node);
            return healed[at - (maxUnavailable[pool] ?? 1)]?.name;
        },
        wasAsked: async node => (await valueIfKnown(numberOf(node))) !== undefined,
    };
}
