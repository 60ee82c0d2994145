import { NfvError } from "../common/errors";
import type { KubeApi, KubeObject } from "../vim";
import type { ObjectName } from "../vim/ownership";
import { ownedBy } from "../vim/readiness/below";

/** What stands between a network function's objects and its pods. */
const between = [
    ...["deployments", "replicasets", "statefulsets", "daemonsets"].map(kind => ["/apis/apps/v1", kind]),
    ["/apis/batch/v1", "jobs"],
];

interface Pod extends KubeObject {
    spec?: { nodeName?: string };
}

const most = 12;

/**
 * Pods below these objects with their nodes, in a line: "pods: upf-x2k4p on w1". Undefined: there are none, or they may not be listed. `revisions`: "UID/GENERATION" of each
 * object.
 */
export async function podsLine(
    api: KubeApi,
    objects: readonly ObjectName[],
    revisions: readonly string[],
): Promise<string | undefined> {
    const namespaces = [...new Set(objects.flatMap(({ namespace }) => namespace ?? []))];
    try {
        const all = await Promise.all(namespaces.map(namespace => objectsIn(api, namespace)));
        const uids = revisions.map(revision => revision.slice(0, revision.lastIndexOf("/")));
        const below = uids.flatMap(uid => ownedBy(uid, all.flat())).filter(({ isPod }) => isPod);
        const pods = [...new Map(below.map(pod => [pod.metadata.name, pod.node])).entries()]
            .map(([name, node]) => (node === undefined ? name : `${name} on ${node}`))
            .sort();
        const more = pods.length - most;
        if (pods.length === 0) return undefined;
        return `pods: ${pods.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    } catch (error) {
        // They are for a report only.
        if (error instanceof NfvError) return undefined;
        throw error;
    }
}

async function objectsIn(api: KubeApi, namespace: string) {
    const place = `namespaces/${encodeURIComponent(namespace)}`;
    const owners = await Promise.all(between.map(([root, kind]) => api.list(`${root}/${place}/${kind}?limit=500`)));
    const pods = await api.get<{ items?: Pod[] }>(`/api/v1/${place}/pods?limit=500`);
    return [
        ...owners.flat().map(({ metadata }) => ({ metadata, isPod: false, node: undefined })),
        ...(pods?.items ?? []).map(({ metadata, spec }) => ({ metadata, isPod: true, node: spec?.nodeName })),
    ];
}
