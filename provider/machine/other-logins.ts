import { hasUnknown, same } from "../contract/values";
import type { SshTarget } from "../ssh";

type Reached = readonly { name: string; connection: SshTarget }[] | undefined;

/**
 * Whether a machine is reached by another login than the state has, or shows another host key: with the stored one a refresh and a deletion would be refused, and
 * an ended login key would stay in the state. Machines that come and go do not count, and neither does what is not known yet. Pure.
 */
export function otherLogins(before: Reached, after: Reached): boolean {
    if (!Array.isArray(before) || !Array.isArray(after)) return false;
    const known = new Map(before.map(({ name, connection }) => [name, connection]));
    return after.some(({ name, connection }) => {
        const former = known.get(name);
        if (former === undefined || hasUnknown([name, connection])) return false;
        return !same(loginIn(former), loginIn(connection)) || otherHostKeys(former, connection);
    });
}

/** Where one of both has none, a run records it. */
function otherHostKeys(before: SshTarget, after: SshTarget): boolean {
    const areGiven = before.hostKey !== undefined && after.hostKey !== undefined;
    if (areGiven && before.hostKey !== after.hostKey) return true;
    return before.jump !== undefined && after.jump !== undefined && otherHostKeys(before.jump, after.jump);
}

/** Without the place and the host keys. */
function loginIn({ host: _, hostKey: __, hostKeyFrom: ___, jump, ...login }: SshTarget): object {
    return { ...login, ...(jump && { jump: loginIn(jump) }) };
}
