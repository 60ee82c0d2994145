import type { NodeDescription } from "../operation";
import type { UnfinishedOperation } from "../taken-back";
import type { HookCluster, HookFacts, HookNode } from "./contract";
import { etsiName, eventOf, type HookMoment } from "./events";
import type { HookSpec } from "./hook-spec";

/** An operation with the nodes before and after it: what its hooks are told, also in a later run. */
export interface RecordedOperation extends UnfinishedOperation {
    before: Record<string, NodeDescription>;
    after: Record<string, NodeDescription>;
    /** Its end comes with the deletion of the nodes that leave, after the rest of the run. */
    endsWith?: "deletion";
}

/** What is known of a machine beyond its place in the program. */
export type KnownMachine = Pick<HookNode, "address" | "sshAddress" | "serverId">;

/** Around one moment of one operation. */
export interface Moment {
    operation: RecordedOperation;
    moment: HookMoment;
    cluster: HookCluster;
    stack: HookFacts["stack"];
    /** Node → its machine, before and after the operation. */
    machines: { before: Record<string, KnownMachine>; after: Record<string, KnownMachine> };
}

/** What an attempt receives about former ones. */
export type Attempt = Pick<HookFacts, "attempt" | "interrupted" | "errorHandlingData">;

/** The facts that a hook receives. Pure. */
export function factsFor(
    hook: HookSpec,
    { operation, moment, cluster, stack, machines }: Moment,
    attempt: Attempt,
): HookFacts {
    const event = eventOf(operation, moment);
    const { before, after, endsWith: _, former: __, ...told } = operation;
    const { added, removed, replaced } = told;
    return {
        apiVersion: "pulumi-nfv/v1",
        event,
        etsiEvent: etsiName(event),
        hook: hook.name,
        operation: told,
        nodes: {
            before: nodesOf(before, machines.before),
            after: nodesOf(after, machines.after),
            ...{ added, removed, replaced },
        },
        cluster,
        stack,
        parameters: hook.parameters ?? {},
        ...attempt,
    };
}

function nodesOf(described: Record<string, NodeDescription>, machines: Record<string, KnownMachine>): HookNode[] {
    return Object.entries(described).map(([name, { role, pool }]) => ({
        name,
        role,
        ...(pool !== undefined && { pool }),
        ...(Object.hasOwn(machines, name) && machines[name]),
    }));
}
