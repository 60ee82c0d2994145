import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { Context } from "../contract/types";
import type { Peer } from "./machine";
import { type PeerStatus, readyControlPlaneNode } from "./machine-statuses";

/** How long to wait for control-plane nodes that live but do not serve, and between two looks, in seconds. Tests set less. */
export const patience = { seconds: 90, pauseSeconds: 2 };

/**
 * Retries while a control-plane node shows that it lives: an API server that starts, or machines under load (a join
 * stalls their disks), must not end a run. Does not wait for control-plane nodes that cannot be reached at all. A run waits
 * once for a cluster, not once for each node: the deletions of control-plane nodes come one after another.
 */
export async function retryUntilControlPlaneReady<T>(
    context: Pick<Context, "report" | "signal" | "session">,
    clusterId: string,
    work: () => Promise<T>,
): Promise<T> {
    const { report, signal } = context;
    const { waitedInVain } = runFacts(context).did;
    const end = performance.now() + patience.seconds * 1000;
    for (;;) {
        try {
            const done = await work();
            waitedInVain.delete(clusterId);
            return done;
        } catch (error) {
            if (!showsLife(error) || waitedInVain.has(clusterId)) throw error;
            if (performance.now() > end) {
                waitedInVain.add(clusterId);
                throw error;
            }
            report("wait for a control-plane node that serves");
            await sleep(patience.pauseSeconds * 1000, undefined, { signal });
        }
    }
}

/** See readyControlPlaneNode. @throws NO_CONTROL_PLANE */
export function untilControlPlaneReady(
    context: Context,
    clusterId: string,
    peers: readonly Peer[],
    order: "any" | "first",
): Promise<PeerStatus> {
    return retryUntilControlPlaneReady(context, clusterId, () =>
        readyControlPlaneNode(context, clusterId, peers, order),
    );
}

/** What a look at a control-plane node says that lives: it does not serve, ran out of its time, or sshd had none for us. */
const signsOfLife = /not ready|ran \S+ for more than|closed the connection before it was usable/;

function showsLife(error: unknown): boolean {
    return error instanceof NfvError && error.code === "NO_CONTROL_PLANE" && signsOfLife.test(error.reason);
}
