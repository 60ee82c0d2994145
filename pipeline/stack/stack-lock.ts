/** Who holds a stack whose state is in files or an object store, as Pulumi says it. */
export interface StackLock {
    user: string;
    host: string;
    pid: number;
    since: string;
}

/** The locks that Pulumi names when it refuses a run; empty, if the service of Pulumi refuses. Undefined: it was refused for no lock. Pure. */
export function locksIn(output: string): StackLock[] | undefined {
    if (!/stack is currently locked by|\[409\] Conflict: Another update is currently in progress/.test(output))
        return undefined;
    // A name of a user may have blanks, and an @.
    const each = /created by (.+)@(\S+) \(pid (\d+)\) at (\S+)/g;
    return [...output.matchAll(each)].map(([, user, host, pid, since]) => ({
        ...{ user: user!, host: host!, since: since! },
        pid: Number(pid),
    }));
}

/** What a run notes about itself on its machine, so that a later one knows whose lock was left. */
export interface Runner {
    host: string;
    /** Of the kernel: another one after each start of the machine. */
    boot: string;
    /** Pids mean processes in this namespace: containers have others. */
    pidNamespace: string;
    operation: string;
    since: string;
    /** The process that holds the stack's lock. */
    pulumi?: { pid: number; started: string };
}

/** What is known of the process that holds a lock. `unknown`: it cannot be proven dead. */
export type Holder = "dead" | "alive" | "unknown";

/** What this machine is, and which of its processes are there. */
export interface Here extends Pick<Runner, "host" | "boot" | "pidNamespace"> {
    /** Begin of the process in ticks; undefined: there is none with this pid. */
    startOf(pid: number): string | undefined;
}

/**
 * Dead is only what is proven so: our own record names this lock's process, it ran on this machine since its last boot, in these
 * namespaces, and no process has its pid and begin. Pure.
 */
export function holderOf(lock: StackLock, record: Runner | undefined, here: Here): Holder {
    const isOurs =
        record?.pulumi?.pid === lock.pid &&
        record.host === lock.host &&
        record.host === here.host &&
        record.boot === here.boot &&
        record.pidNamespace === here.pidNamespace;
    if (!isOurs) return "unknown";
    return here.startOf(lock.pid) === record.pulumi!.started ? "alive" : "dead";
}

/** Whether all holders are proven dead. Pure. */
export function isAbandoned(locks: readonly StackLock[], holders: readonly Holder[]): boolean {
    return locks.length > 0 && holders.every(holder => holder === "dead");
}

/** Who holds them, each once. Pure. */
export function describeLocks(locks: readonly StackLock[]): string {
    // Pulumi names a lock once for each of its messages.
    return [...new Set(locks.map(describeLock))].join("; ");
}

function describeLock({ user, host, pid, since }: StackLock): string {
    return `${user}@${host}, process ${pid}, since ${since}`;
}
