import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import type { MachineStatus } from "../kubeadm/machine-status";
import type { Role } from "../model";
import { type Fingerprints, type Step, stale } from "../steps";
import { oneAtATime } from "./one-at-a-time";
import type { Context } from "./types";

export interface Rolling {
    clusterId: string;
    node: string;
    role: Role;
    /** The machine's facts before the steps. */
    before: MachineStatus;
    /** Reads the facts again. */
    look: () => Promise<MachineStatus>;
}

/** How long a control-plane node may take until its API server answers again, in seconds. Tests set less. */
export const serveAgainTimeout = { seconds: 300 };

/**
 * Runs steps that interrupt a member's service. The engine updates all machines in parallel, so control-plane nodes go
 * one after another here, and so do workers. Each control-plane node waits until the one before serves again. After a
 * failure, no further machine begins. A machine that is not a member yet interrupts nothing and does not wait.
 */
export function inTurn<T>(
    { clusterId, node, role, before, look }: Rolling,
    steps: readonly Step[],
    done: Fingerprints,
    context: Context,
    work: () => Promise<T>,
): Promise<T> {
    const disrupts = stale(steps, done).some(step => step.disruptive !== undefined);
    if (!disrupts || before.memberOf !== clusterId) return work();
    const kind = role === "controlPlane" ? "masters" : "workers";
    const go = async () => {
        const result = await work();
        if (role === "controlPlane" && before.apiReady) await untilReady(node, look, context);
        return result;
    };
    return oneAtATime(context, `${kind} of ${clusterId} are interrupted`, go, {
        waiting: () => context.report(`waits: the ${kind} of a cluster are interrupted one after another`),
        afterFailure: error => notBegun(node, error),
        signal: context.signal,
    });
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

/** Names the first machine that failed, however many others did not begin because of it. */
function notBegun(node: string, failure: unknown): NfvError {
    const first =
        failure instanceof NotBegun ? failure.first : String(failure instanceof Error ? failure.message : failure);
    return new NotBegun(node, first);
}

class NotBegun extends NfvError {
    constructor(
        node: string,
        readonly first: string,
    ) {
        const cause = `nothing was changed here, because the machine before it failed: ${first.split("\n")[0]}`;
        super({ code: "ROLLING_STOPPED", node, cause });
    }
}
