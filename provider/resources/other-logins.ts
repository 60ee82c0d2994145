import type { SshTarget } from "../ssh";
import { hasUnknown, same } from "./values";

type Reached = readonly { name: string; connection: SshTarget }[] | undefined;

/**
 * Whether a machine is reached by another login than the state has: by that one a refresh and a deletion would be refused, and a key that has ended would stay in
 * the state. Machines that come and go do not count, and neither does what is not known yet. Pure.
 */
export function otherLogins(before: Reached, after: Reached): boolean {
    if (!Array.isArray(before) || !Array.isArray(after)) return false;
    const known = new Map(before.map(({ name, connection }) => [name, loginIn(connection)]));
    return after.some(({ name, connection }) => {
        const login = known.get(name);
        return login !== undefined && !hasUnknown([name, connection]) && !same(login, loginIn(connection));
    });
}

/** Without the place, and without the host keys, which a run records. */
function loginIn({ host: _, hostKey: __, hostKeyFrom: ___, jump, ...login }: SshTarget): object {
    return { ...login, ...(jump && { jump: loginIn(jump) }) };
}
