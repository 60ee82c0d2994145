import type { HealWish } from "../../provider/resources/heals";
import type { KubernetesClusterArgs } from "../args";

type Healed = Pick<KubernetesClusterArgs, "heal" | "infrastructure">;

/** What OperationStart gets of `heal`. Nothing, if the program has none: its inputs stay as they were. */
export function healWish({ heal, infrastructure }: Healed): { heal?: HealWish } {
    if (heal === undefined) return {};
    const cure = (heal.cure ?? (infrastructure.hosts ? "rejoin" : "server")) as HealWish["cure"];
    return { heal: { run: heal.run, cure, ...(heal.nodes && { nodes: heal.nodes }) } };
}

/** Whether the program names the node now. */
export function asksToHeal({ heal }: Pick<KubernetesClusterArgs, "heal">, node: string): boolean {
    return heal !== undefined && (heal.nodes?.includes(node) ?? true);
}
