import { onceFor } from "../common/once-for";
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
    const rotations = runFacts(context).program.all<Rotation>("LoginRotation");
    const rotated = rotations.map(({ news }) => serversOf(news).get(placeOf(target))).find(each => each !== undefined);
    return rotated ?? { ...target, ...(jump && { jump: withPresentKeys(context, jump) }) };
}

interface Rotation {
    /** JSON of the machines. */
    targets: string;
}

/** How the program of this run reaches the servers whose login key it rotates, by place. Each machine of a large cluster asks. */
const serversOf = onceFor(({ targets }: Rotation): ReadonlyMap<string, SshTarget> => {
    const machines = hasUnknown(targets) ? [] : (JSON.parse(targets) as { connection: SshTarget }[]);
    return new Map(machines.map(({ connection }) => [placeOf(connection), connection]));
});
