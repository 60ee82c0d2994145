import type { Lab } from "../../lab";

/** Of a step on a node: how often it has begun, and how often it has failed. */
export interface Times {
    begun: number;
    failed: number;
}

/** What the node's journal says of each of our steps. */
export async function stepTimes(lab: Lab, node: string): Promise<Record<string, Times>> {
    const lines = "grep -oE '^nfv-step-[a-z0-9.-]+ (begins|ended with [0-9]+)$' || true";
    const log = await lab.mustSsh(node, `journalctl --no-pager -o cat | ${lines}`);
    const times: Record<string, Times> = {};
    for (const [, step = "", what] of log.matchAll(/^nfv-step-(\S+) (begins|ended)/gm)) {
        times[step] ??= { begun: 0, failed: 0 };
        times[step][what === "begins" ? "begun" : "failed"]++;
    }
    return times;
}
