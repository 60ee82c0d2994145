import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { pathOf, titleOf } from "./owned-objects";

interface Workload extends KubeObject {
    metadata: KubeObject["metadata"] & { generation?: number };
    status?: Partial<Record<string, number>>;
}

interface Pod {
    metadata: { name: string };
    status?: {
        conditions?: { type: string; status: string; message?: string }[];
        containerStatuses?: { name: string; state?: { waiting?: { reason?: string; message?: string } } }[];
    };
}

/**
 * When a workload counts as running. A DaemonSet on one node at least: a node that is dead must not stop a run that has nothing to do with it.
 */
const isRunning: Record<string, (status: Partial<Record<string, number>>) => boolean> = {
    Deployment: ({ updatedReplicas = 0, availableReplicas = 0 }) => updatedReplicas > 0 && availableReplicas > 0,
    DaemonSet: ({ numberReady = 0 }) => numberReady > 0,
};

/** Waits for the Deployments and DaemonSets among the objects. @throws STEP_FAILED that says what their pods wait for */
export async function untilRunning(
    api: KubeApi,
    objects: readonly KubeObject[],
    { node, timeoutSeconds }: { node: string; timeoutSeconds: number },
    context: Context,
): Promise<void> {
    const end = Date.now() + timeoutSeconds * 1000;
    for (const object of objects.filter(({ kind }) => kind in isRunning)) {
        for (;;) {
            const found = await settle(timeoutSeconds, () => api.get<Workload>(pathOf(object)));
            if (found !== undefined && isCurrent(found) && isRunning[object.kind]!(found.status ?? {})) break;
            context.report(`wait for ${titleOf(object)}`);
            if (Date.now() > end) {
                const why = await whatPodsWaitFor(api, object);
                const cause = `${titleOf(object)} does not run${why && `:\n${why}`}`;
                throw new NfvError({ code: "STEP_FAILED", node, step: "wait for the driver", cause });
            }
            await sleep(500, undefined, { signal: context.signal });
        }
    }
}

/** Whether the status belongs to what was applied last. */
function isCurrent({ metadata: { generation = 0 }, status }: Workload): boolean {
    return (status?.["observedGeneration"] ?? 0) >= generation;
}

/** "csi-nfs-node-x: nfs: ErrImagePull: not found", one line each; "" if the pods say nothing. */
async function whatPodsWaitFor(api: KubeApi, { metadata }: KubeObject): Promise<string> {
    const selector = encodeURIComponent(`app=${metadata.labels?.["app"] ?? metadata.name}`);
    const path = `/api/v1/namespaces/${metadata.namespace}/pods?labelSelector=${selector}`;
    const pods = (await api.get<{ items?: Pod[] }>(path))?.items ?? [];
    return pods
        .flatMap(({ metadata: { name }, status }) => reasonsOf(status).map(each => `${name}: ${each}`))
        .join("\n");
}

function reasonsOf({ conditions = [], containerStatuses = [] }: NonNullable<Pod["status"]> = {}): string[] {
    const waiting = containerStatuses.flatMap(({ name, state }) =>
        state?.waiting === undefined
            ? []
            : [[name, state.waiting.reason, state.waiting.message].filter(Boolean).join(": ")],
    );
    const unscheduled = conditions.filter(({ type, status }) => type === "PodScheduled" && status === "False");
    return [...waiting, ...unscheduled.map(({ message = "" }) => message)];
}
