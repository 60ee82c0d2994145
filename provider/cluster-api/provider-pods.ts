import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { liveSeconds } from "../vim/check-cluster";

interface Deployment {
    metadata: { name: string; namespace: string; generation?: number };
    spec?: { replicas?: number; selector?: { matchLabels?: Record<string, string> } };
    status?: { observedGeneration?: number; replicas?: number; updatedReplicas?: number; availableReplicas?: number };
}

interface Pod {
    metadata: { name: string };
    status?: {
        phase?: string;
        conditions?: { type: string; status: string; reason?: string; message?: string }[];
        containerStatuses?: {
            state?: {
                waiting?: { reason?: string; message?: string };
                terminated?: { reason?: string; exitCode?: number };
            };
            lastState?: { terminated?: { reason?: string; exitCode?: number; message?: string } };
        }[];
    };
}

/** How long one provider is waited for. */
export interface ProviderWait {
    /** Name of the resource. */
    name: string;
    /** The provider. */
    title: string;
    timeoutSeconds: number;
}

/** Waits until all Deployments among the objects have their newest pods. @throws PROVIDER_NOT_READY with what the pods say */
export async function availableProvider(
    api: KubeApi,
    objects: readonly KubeObject[],
    { name, title, timeoutSeconds }: ProviderWait,
    context: Context,
): Promise<void> {
    const deployments = objects.filter(({ kind }) => kind === "Deployment");
    const end = Date.now() + timeoutSeconds * 1000;
    for (const { metadata } of deployments) {
        const path = `/apis/apps/v1/namespaces/${metadata.namespace}/deployments/${metadata.name}`;
        context.report(`${title}: wait for its pods`);
        for (;;) {
            const found = await settle(liveSeconds, () => api.get<Deployment>(path));
            if (found !== undefined && isAvailable(found)) break;
            if (Date.now() > end) throw await tooLate(api, found, { name, title, timeoutSeconds });
            await sleep(1000, undefined, { signal: context.signal });
        }
    }
}

function isAvailable({ metadata, spec, status = {} }: Deployment): boolean {
    const wanted = spec?.replicas ?? 1;
    const { observedGeneration = 0, replicas, updatedReplicas, availableReplicas } = status;
    if (observedGeneration < (metadata.generation ?? 0)) return false;
    return [replicas, updatedReplicas, availableReplicas].every(count => (count ?? 0) === wanted);
}

async function tooLate(
    api: KubeApi,
    found: Deployment | undefined,
    { name, title, timeoutSeconds }: ProviderWait,
): Promise<NfvError> {
    const said = found === undefined ? "its Deployment is gone" : await whatPodsSay(api, found);
    return notReady({ name, title }, `its pods are not available after ${timeoutSeconds} s: ${said}`);
}

export function notReady({ name, title }: Pick<ProviderWait, "name" | "title">, cause: string): NfvError {
    return new NfvError({
        code: "PROVIDER_NOT_READY",
        node: `ManagementCluster "${name}"`,
        step: `start ${title}`,
        cause,
    });
}

async function whatPodsSay(api: KubeApi, { metadata, spec }: Deployment): Promise<string> {
    const labels = Object.entries(spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
    const path = `/api/v1/namespaces/${metadata.namespace}/pods?labelSelector=${encodeURIComponent(labels.join(","))}`;
    const found = await api.get<{ items: Pod[] }>(path).catch(() => undefined);
    const said = (found?.items ?? []).flatMap(pod => wordsOf(pod).map(words => `pod ${pod.metadata.name}: ${words}`));
    return said.join("; ") || "there is no pod";
}

/** Why a pod is not ready, in Kubernetes' words. */
export function wordsOf({ status = {} }: Pod): string[] {
    const containers = (status.containerStatuses ?? []).flatMap(({ state, lastState }) => {
        const { waiting, terminated = lastState?.terminated } = { ...state };
        const parts = [
            waiting && [waiting.reason, waiting.message].filter(Boolean).join(": "),
            terminated && `ended with ${terminated.exitCode} (${terminated.reason})`,
        ];
        const words = parts.filter(part => part !== undefined && part !== "").join(", ");
        return words === "" ? [] : [words];
    });
    if (containers.length > 0) return containers;
    return (status.conditions ?? [])
        .filter(({ status: is, message }) => is === "False" && message)
        .map(({ reason, message }) => `${reason}: ${message}`);
}
