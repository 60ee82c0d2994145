import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { type CloudClient, getServer, type LiveStack, markHealthy } from "../../openstack";
import type { StackResource } from "../../openstack/heat";
import { isDeleted } from "../../openstack/nova";
import type { StackMachines } from "../remove-nodes";
import type { Examined } from "./lost-servers";
import { healedOf, isServer, type SeenStack } from "./stack-servers";

/**
 * At the next change of a stack, Heat replaces every resource that it has as CHECK_FAILED, whatever the change is. We
 * set that mark on lost servers; so does `openstack stack check`, for example while servers are off. It stays until
 * somebody removes it.
 */

/** Resource of the stack → id of what was marked, to be replaced. */
export type Marked = Record<string, string>;

export interface MarkVerdicts {
    /** The server lives: the mark is removed. */
    remove: string[];
    /** Nobody knows whether it may be replaced. */
    refuse: string[];
}

export interface MarkSituation {
    /** What is replaced with a server, the server first. */
    together: readonly string[][];
    /** Servers by their names in the template: those that are there, and those that are lost. Others are unclear. */
    living: ReadonlySet<string>;
    lost: ReadonlySet<string>;
    marked: Marked;
    /** Resources of nodes that were taken out, or will be. */
    leaving: ReadonlySet<string>;
}

/** Pure. */
export function verdictsOnMarks(
    resources: readonly StackResource[],
    { together, living, lost, marked, leaving }: MarkSituation,
): MarkVerdicts {
    const verdicts: MarkVerdicts = { remove: [], refuse: [] };
    for (const { resource_name: name, resource_status: status, physical_resource_id: id } of resources) {
        // Without an id there is nothing to lose, and what leaves is deleted anyway.
        if (status !== "CHECK_FAILED" || id === "" || leaving.has(name)) continue;
        const [server = name] = together.find(group => group.includes(name)) ?? [];
        if (living.has(server)) verdicts.remove.push(name);
        // A mark is as old as the run that set it, and its server may have come back since.
        else if (marked[name] !== id || !lost.has(server)) verdicts.refuse.push(name);
    }
    return verdicts;
}

/**
 * Called right before a stack changes. Removes the marks of what lives.
 * @throws STACK_FAILED if Heat would replace something that is not marked as lost by us
 */
export async function settleMarks(
    seen: SeenStack,
    machines: StackMachines,
    { marked, leaving, examined }: Pick<MarkSituation, "marked" | "leaving"> & { examined: () => Promise<Examined> },
    { report }: Pick<Context, "report">,
): Promise<void> {
    const { cloud, stack, resources } = seen;
    if (!resources.some(each => each.resource_status === "CHECK_FAILED")) return;
    const together = [...healedOf(machines.spec).values()];
    const states = await serverStates(seen, machines, await examined());
    const { remove, refuse } = verdictsOnMarks(resources, { together, ...states, marked, leaving });
    if (refuse.length > 0) throw refusal(stack, refuse);
    for (const name of remove) {
        report(
            `${name} of the stack is marked as failed, and its server runs: the mark is removed, or Heat would replace it`,
        );
        await markHealthy(cloud, stack, name);
    }
}

/** Nodes and the jump server are examined; of other servers only Nova is asked. */
async function serverStates(
    { cloud, resources }: SeenStack,
    machines: StackMachines,
    examined: Examined,
): Promise<Pick<MarkSituation, "living" | "lost">> {
    const healed = healedOf(machines.spec);
    const ours = (wanted: string) =>
        [...examined].flatMap(([name, { verdict }]) => (verdict === wanted ? [healed.get(name)![0]!] : []));
    const known = new Set([...healed.values()].map(([server]) => server));
    const others = resources.filter(each => isServer(each) && !known.has(each.resource_name));
    const runs = await Promise.all(others.map(each => runsInNova(cloud, each.physical_resource_id)));
    const running = others.filter((_, i) => runs[i]).map(each => each.resource_name);
    return { living: new Set([...ours("there"), ...running]), lost: new Set(ours("lost")) };
}

/** In doubt it runs: Nova has it, and does not call it ERROR. */
async function runsInNova(cloud: CloudClient, id: string): Promise<boolean> {
    const server = id === "" ? undefined : await getServer(cloud, id);
    return !isDeleted(server) && server?.status !== "ERROR";
}

function refusal({ name: stack }: LiveStack, names: readonly string[]): NfvError {
    return new NfvError({
        code: "STACK_FAILED",
        cause: `Heat has ${names.join(", ")} of the stack "${stack}" as CHECK_FAILED, and would replace all of it with this change; nothing was changed`,
        hint:
            "Is a server lost, run pulumi up --refresh. What is in order is unmarked by hand, then run pulumi up again: " +
            names.map(name => `openstack stack resource mark unhealthy --reset ${stack} ${name}`).join("; "),
    });
}
