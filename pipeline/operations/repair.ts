import type { Stack } from "@pulumi/pulumi/automation";
import { repairVariable } from "../../provider/adapters/repair-run";
import { didYouMean } from "../../provider/common/did-you-mean";
import { NfvError } from "../../provider/common/errors";
import { listed } from "../../provider/operation/names";
import type { Order } from "../plan/order";
import type { Plan } from "../plan/plan";

/** Brings broken nodes back as a refresh finds them, and does nothing else. @throws INVALID_INPUT */
export function repair(nodes: readonly string[]): Order {
    const strange = nodes.find(name => !/^[a-z0-9][-a-z0-9]*$/.test(name));
    if (strange !== undefined || nodes.length === 0)
        throw new NfvError({ code: "INVALID_INPUT", cause: `repair: ${strange ?? "nothing"} is no name of a node` });
    return {
        name: "repair",
        settings: [],
        allow: ["heal"],
        repairs: nodes,
        beyond: plan => beyondRepairs(plan, nodes),
    };
}

/** The stack whose resources leave other machines as they are. Others may use the same stack at the same time. */
export function repairing(stack: Stack, { repairs }: Pick<Order, "repairs">): Stack {
    if (repairs === undefined) return stack;
    const envVars = { ...stack.workspace.envVars, [repairVariable]: repairs.join(" ") };
    const workspace = Object.create(stack.workspace, { envVars: { value: envVars } });
    return Object.create(stack, { workspace: { value: workspace } });
}

/**
 * What the plan has besides heals and repairs of these nodes: differences of the program that nobody has approved for this run. What a refresh has found on other nodes
 * is not in the plan; provider/adapters/repair-run.ts leaves it. Pure.
 */
export function beyondRepairs({ nodes, resources, operations }: Plan, asked: readonly string[]): string[] {
    const isHeal = (of?: string) => operations.some(({ cluster, names }) => cluster === of && names.includes("heal"));
    return [
        ...nodes.flatMap(({ cluster, node, change, steps, disruptions }) => {
            if (asked.includes(node)) return change === "leaves" ? [`${cluster}: ${node} would leave`] : [];
            // Its facts of other nodes are brought up to date.
            if (change === "changes" && steps.length === 0 && disruptions.length === 0) return [];
            const what = steps.length === 0 ? "" : `: ${listed(steps.map(({ title }) => title))}`;
            return [`${cluster}: ${node} is not to be repaired (${change}${what})`];
        }),
        ...resources.flatMap(({ name, type, act, cluster }) => {
            const isPart = cluster !== undefined && act !== "delete" && asked.some(node => isOf(name, node));
            // One stack has all servers, and its template names the lost ones.
            const isStackOfHeal = isHeal(cluster) && act === "update" && type.endsWith(":StackV1");
            return isPart || isStackOfHeal ? [] : [`${type} ${name}: ${act}: it is no part of a node that is repaired`];
        }),
    ];
}

/** A name that is misspelt would be repaired without a word. `known`: names of the stack's resources. @throws INVALID_INPUT */
export function refuseUnknownNodes(asked: readonly string[], { groups }: Plan, known: readonly string[]): void {
    const nodes = Object.values(groups).flatMap(each => Object.values(each).flat());
    const unknown = asked.find(name => !nodes.includes(name) && !known.some(word => `-${word}`.endsWith(`-${name}`)));
    if (unknown === undefined) return;
    const cause = `repair: there is no node ${unknown}; there are ${listed(nodes) || "none"}${didYouMean(unknown, nodes)}`;
    throw new NfvError({ code: "INVALID_INPUT", cause, hint: "nfv check names the nodes that a repair brings back." });
}

/** "core-w1-port" is of w1, and of core-w1, and "w1"; "core-w11" is not. */
const isOf = (name: string, node: string) => `-${name}-`.includes(`-${node}-`);
