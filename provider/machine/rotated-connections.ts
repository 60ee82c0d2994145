import { runFacts } from "../contract/run-facts";
import type { InSession } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { placeOf, type SshTarget } from "../ssh";

/**
 * The state's connection of what goes at the end of a run, with the present login key of the servers that stay: a jump server on the way, or a storage server.
 * By then the rotation has exchanged the key, and no run writes another one into a state that only waits for its deletion.
 */
export function withPresentKeys(context: InSession, target: SshTarget): SshTarget {
    const { jump } = target;
    return (
        rotatedServers(context).get(placeOf(target)) ?? {
            ...target,
            ...(jump && { jump: withPresentKeys(context, jump) }),
        }
    );
}

/** How the program of this run reaches the servers whose login key it rotates, by place. `targets`: JSON of the machines. */
function rotatedServers(context: InSession): ReadonlyMap<string, SshTarget> {
    const rotations = runFacts(context).program.all<{ targets: string }>("LoginRotation");
    const machines = rotations
        .filter(({ news }) => !hasUnknown(news.targets))
        .flatMap(({ news }) => JSON.parse(news.targets) as { connection: SshTarget }[]);
    return new Map(machines.map(({ connection }) => [placeOf(connection), connection]));
}
