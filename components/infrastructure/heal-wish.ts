import type { Heals, HealWish } from "../../provider/operation/heals";
import { isReplacement, type ReplaceWish } from "../../provider/operation/replacements";
import type { KubernetesClusterArgs } from "../args/args";
import type { NodeName } from "./infrastructure";

type Healed = Pick<KubernetesClusterArgs, "heal" | "infrastructure">;
export type Asking = Pick<KubernetesClusterArgs, "heal" | "replaceServers">;

/** What OperationStart gets of `heal`. Nothing, if the program has none: its inputs stay as they were. */
export function healWish({ heal, infrastructure }: Healed): { heal?: HealWish } {
    if (heal === undefined) return {};
    const cure = (heal.cure ?? (infrastructure.hosts ? "rejoin" : "server")) as HealWish["cure"];
    return { heal: { run: heal.run, cure, ...(heal.nodes && { nodes: heal.nodes }) } };
}

/** What OperationStart gets of `replaceServers`, with pools and the control plane as the names of their nodes. A name that means nothing is left as it is: OperationStart refuses it. */
export function replaceWish(
    { replaceServers, pools = {} }: Asking & Partial<Pick<KubernetesClusterArgs, "pools">>,
    nodes: readonly NodeName[],
): { replaceServers?: ReplaceWish } {
    if (replaceServers === undefined) return {};
    const workers = nodes.filter(({ role }) => role === "worker").map(({ name }) => name);
    const { run, nodes: given = workers } = replaceServers;
    const named = given.flatMap(entry => namesOf(entry, nodes, Object.hasOwn(pools, entry)));
    return { replaceServers: { run, nodes: [...new Set(named)] } };
}

function namesOf(entry: string, nodes: readonly NodeName[], isPool: boolean): string[] {
    if (nodes.some(({ name }) => name === entry)) return [entry];
    const meant = nodes.filter(({ pool, role }) => pool === entry || (entry === "controlPlane" && role === entry));
    return meant.length > 0 || isPool ? meant.map(({ name }) => name) : [entry];
}

/** Whether the program asks for a new server of the node now. */
export function asksToReplace(args: Asking, node: NodeName): boolean {
    const { replaceServers: wish } = replaceWish(args, [node]);
    return wish?.nodes.includes(node.name) ?? false;
}

/** Whether the program still asks for what was asked for last of the node. */
export function stillAsks(args: Asking, node: NodeName, heals: Heals): boolean {
    if (isReplacement(heals, node.name)) return asksToReplace(args, node);
    return asksToHeal(args, node.name);
}

/** Whether the program names the node now. */
export function asksToHeal({ heal }: Pick<KubernetesClusterArgs, "heal">, node: string): boolean {
    return heal !== undefined && (heal.nodes?.includes(node) ?? true);
}
