import type { InSession } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { placeOf, type SshTarget } from "../ssh";

/** How the program of this run reaches the servers whose keys it rotates, by place. */
class RotatedServers extends Map<string, SshTarget> {}

/** Noted by the checks of the rotations. `targets`: JSON of their machines. */
export function noteRotated(context: InSession | undefined, targets: string): void {
    if (context === undefined || hasUnknown(targets)) return;
    const servers = context.session.part(RotatedServers);
    for (const { connection } of JSON.parse(targets) as { connection: SshTarget }[])
        servers.set(placeOf(connection), connection);
}

/**
 * The state's connection of what goes at the end of a run, with the present keys of the servers that stay: a jump server on the way, or a storage server.
 * By then a rotation has exchanged them, and no run writes other keys into a state that only waits for its deletion.
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
