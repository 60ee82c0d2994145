import type { InSession } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { placeOf, type SshTarget } from "../ssh";

/** How the program of this run reaches the servers whose login key it rotates, by place. */
class RotatedServers extends Map<string, SshTarget> {}

/** The check of LoginRotation notes it. `targets`: JSON of the machines. */
export function noteRotated(context: InSession | undefined, targets: string): void {
    if (context === undefined || hasUnknown(targets)) return;
    const servers = context.session.part(RotatedServers);
    for (const { connection } of JSON.parse(targets) as { connection: SshTarget }[])
        servers.set(placeOf(connection), connection);
}

/**
 * The state's connection of what goes at the end of a run, with the present login key of the servers that stay: a jump server on the way, or a storage server.
 * By then the rotation has exchanged the key, and no run writes another one into a state that only waits for its deletion.
 */
export function withPresentKeys({ session }: InSession, target: SshTarget): SshTarget {
    const { jump } = target;
    return (
        session.part(RotatedServers).get(placeOf(target)) ?? {
            ...target,
            ...(jump && { jump: withPresentKeys({ session }, jump) }),
        }
    );
}
