import type { UpgradeTurnInput } from "../../provider/member/upgrade/upgrade-turn";
import { controlPlaneEntry, type UpgradeOrderArgs } from "../args/upgrade-args";
import type { NodeName } from "./infrastructure";

/** In which order workers move to another version. */
export interface UpgradeOrder {
    /** Inputs of the node; none for control-plane nodes, and where the program has no order. */
    inputsOf(node: NodeName): UpgradeTurnInput;
    /** Those of a lower number move earlier. */
    turnOf(worker: NodeName): number;
    /** Those that move earlier come first. */
    inOrder<Worker extends NodeName>(workers: readonly Worker[]): Worker[];
    /** The workers that must have moved before this one. */
    before(worker: string): string[];
}

export function upgradeOrder(args: UpgradeOrderArgs | undefined, nodes: readonly NodeName[]): UpgradeOrder {
    const { order = [], pauseAfter, soakSeconds = 0 } = args ?? {};
    const workers = nodes.filter(({ role }) => role === "worker");
    // A worker's own entry is more exact than that of its pool. Who has none comes last.
    const turnOf = ({ name, pool }: NodeName) =>
        [name, pool ?? ""].map(entry => order.indexOf(entry)).find(at => at >= 0) ?? order.length;
    const turns = [...new Set(workers.map(turnOf))].sort((a, b) => a - b);
    const last = pauseAfter === controlPlaneEntry ? -1 : order.indexOf(pauseAfter ?? "");
    return {
        inputsOf: node => {
            if (node.role !== "worker" || args === undefined) return {};
            const holds = pauseAfter !== undefined && turnOf(node) > last;
            return { upgradeTurn: { ...(holds && { holds }), ...(soakSeconds > 0 && { soakSeconds }) } };
        },
        turnOf,
        inOrder: given => [...given].sort((a, b) => turnOf(a) - turnOf(b)),
        before: worker => {
            const own = turnOf(workers.find(({ name }) => name === worker)!);
            const former = turns[turns.indexOf(own) - 1];
            return workers.filter(each => turnOf(each) === former).map(({ name }) => name);
        },
    };
}
