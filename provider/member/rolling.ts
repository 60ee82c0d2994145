import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Role } from "../common/model";
import { atMost } from "../contract/at-most";
import type { Context } from "../contract/types";
import type { MachineStatus } from "../kubeadm/machine-status";
import { hasLostItsNotes } from "../kubeadm/membership";
import { type Fingerprints, type Step, stale } from "../steps";

/** Input of a worker. It is never stored, so a change of it alone changes nothing on a node. */
export interface PoolInput {
    /** The worker's pool, and how many of its existing workers a run interrupts at once. */
    pool?: { name: string; maxUnavailable: number };
}

export interface Rolling extends PoolInput {
    clusterId: string;
    node: string;
    role: Role;
    /** The machine's facts before the steps. */
    before: MachineStatus;
    /** Its pods leave, and it joins again or moves to another version, whatever the steps are. */
    leaves?: boolean;
    /** A control-plane node that did not serve before has to, once its steps are done. @default false */
    servesAtEnd?: boolean;
    /** Reads the facts again. */
    look: () => Promise<MachineStatus>;
}

/** How long a control-plane node may take until its API server answers again, in seconds. Tests set less. */
export const serveAgainTimeout = { seconds: 300 };

/**
 * Runs steps that interrupt a member's service. The engine updates all machines in parallel, so control-plane nodes go
 * one after another here, and of each pool as many workers at once as its `maxUnavailable` allows. Each control-plane
 * node waits until the one before serves again. After a failure, no further machine of the group begins in this run. A
 * machine that is not a member yet interrupts nothing and does not wait.
 */
export function inTurn<T>(
    rolling: Rolling,
    steps: readonly Step[],
    done: Fingerprints,
    context: Context,
    work: () => Promise<T>,
): Promise<T> {
    const { node, role, before, leaves = false, servesAtEnd = false, look } = rolling;
    const disrupts = leaves || stale(steps, done).some(step => step.disruptive !== undefined);
    if (!disrupts || !isInUse(rolling)) return work();
    const go = async () => {
        const result = await work();
        if (role === "controlPlane" && (before.apiReady || servesAtEnd)) await untilReady(node, look, context);
        return result;
    };
    const { count, kind, member, rule } = groupOf(rolling);
    return atMost(count, context, kind, go, {
        waiting: () => context.report(`waits: ${rule}`),
        afterFailure: error => notBegun(node, member, error),
        signal: context.signal,
    });
}

/** A machine whose notes are gone may be a member with pods on it. */
function isInUse({ clusterId, before }: Rolling): boolean {
    return before.memberOf === clusterId || hasLostItsNotes(before);
}

interface Group {
    /** How many of it may be interrupted at once. */
    count: number;
    /** Its name in this run. */
    kind: string;
    /** "another …" in messages. */
    member: string;
    /** Why one of it waits. */
    rule: string;
}

function groupOf({ clusterId, role, pool }: Rolling): Group {
    if (role === "controlPlane") {
        return {
            count: 1,
            kind: `control-plane nodes of ${clusterId} are interrupted`,
            member: "control-plane node",
            rule: "control-plane nodes are interrupted one after another",
        };
    }
    const { name, maxUnavailable: count } = pool ?? { name: "", maxUnavailable: 1 };
    return {
        count,
        kind: `workers of pool "${name}" of ${clusterId} are interrupted`,
        member: name === "" ? "worker" : `worker of pool ${name}`,
        rule: `workers of a pool are interrupted ${count === 1 ? "one after another" : `at most ${count} at once`} (maxUnavailable)`,
    };
}

async function untilReady(node: string, look: () => Promise<MachineStatus>, context: Context): Promise<void> {
    const end = performance.now() + serveAgainTimeout.seconds * 1000;
    while (!(await isReady(look))) {
        if (performance.now() > end) {
            throw new NfvError({
                code: "NO_CONTROL_PLANE",
                node,
                step: "serve again",
                cause: `its API server does not answer ${serveAgainTimeout.seconds} s after a step that interrupted it`,
                hint: `See journalctl -u kubelet on ${node}; when it serves again, run pulumi up again.`,
            });
        }
        context.report("wait until its API server answers again");
        await sleep(1000, undefined, { signal: context.signal });
    }
}

async function isReady(look: () => Promise<MachineStatus>): Promise<boolean> {
    try {
        return (await look()).apiReady;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return false;
    }
}

/** Another master that failed as it left may be half out. Pure. */
export const afterAnotherLeaves =
    (name: string) =>
    (failure: unknown): NfvError | undefined =>
        failure instanceof NfvError && failure.node === name
            ? undefined
            : notBegun(name, "master that leaves", failure);

/** Names the first machine that failed, however many others did not begin because of it. `member`: "worker". */
function notBegun(node: string, member: string, failure: unknown): NfvError {
    const [first] = String(failure instanceof Error ? failure.message : failure).split("\n");
    const where = failure instanceof NfvError && failure.node !== undefined ? ` on ${failure.node}` : "";
    return new NfvError({
        code: "ROLLING_STOPPED",
        node,
        cause: `nothing was changed here, because another ${member} failed before: ${first}`,
        hint: `Correct the cause${where}, then run pulumi up again: it goes on from there.`,
    });
}
