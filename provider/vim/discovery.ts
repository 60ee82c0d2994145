import { editDistance } from "../common/edit-distance";
import { NfvError } from "../common/errors";
import type { KubeApi } from "./api";
import { type ServedKind, servedKinds } from "./ownership";

/** A kind that a cluster has. */
export interface KindInCluster extends ServedKind {
    group: string;
    /** All versions in which the cluster serves the kind, the preferred one first. */
    versions: string[];
}

interface ApiGroup {
    versions?: { groupVersion: string }[];
    preferredVersion: { groupVersion: string };
}

/** How many requests run in parallel. */
const atOnce = 8;

/** Does the work for each, few at once. The results are in the order of the items. */
export async function forEachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = new Array(items.length);
    const waiting = items.map((item, i) => ({ item, i }));
    const next = async () => {
        for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
            results[each.i] = await work(each.item);
        }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
    return results;
}

/** All kinds of a cluster. An API server of its own that does not answer (metrics) has none. */
export async function allKinds(api: KubeApi): Promise<KindInCluster[]> {
    const groups = (await api.get<{ groups: ApiGroup[] }>("/apis"))?.groups ?? [];
    const served = groups.flatMap(({ versions = [], preferredVersion }) =>
        [preferredVersion, ...versions].map(({ groupVersion }) => groupVersion),
    );
    const found = await forEachOf([...new Set(["v1", ...served])], async apiVersion => {
        const kinds = await servedKinds(api, apiVersion).catch(unlessNfv);
        const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
        return (kinds ?? []).map(kind => ({ ...kind, group: group!, version: version! }));
    });
    const byKind = new Map<string, KindInCluster>();
    for (const { version, ...kind } of found.flat()) {
        const key = `${kind.kind}.${kind.group}`;
        const there = byKind.get(key);
        if (there === undefined) byKind.set(key, { ...kind, versions: [version] });
        else if (!there.versions.includes(version)) there.versions.push(version);
    }
    return [...byKind.values()];
}

function unlessNfv(error: unknown): undefined {
    if (!(error instanceof NfvError)) throw error;
    return undefined;
}

/** How many kinds an error names. */
const mostNames = 8;

/**
 * The kinds of a cluster that may have been meant, the nearest first: "Cluster of cluster.x-k8s.io/v1beta2, v1beta1". Near is the same kind in
 * another group or version, a similar kind in the same or a similar group, and then what else the group has.
 */
export function nearKinds(
    { apiVersion, kind }: { apiVersion: string; kind: string },
    all: readonly Pick<KindInCluster, "group" | "kind" | "versions">[],
): string[] {
    const group = apiVersion.split("/")[0]!;
    const allowed = (name: string) => Math.max(2, Math.floor(name.length / 4));
    const ranked = all.flatMap(each => {
        const kinds = editDistance(kind.toLowerCase(), each.kind.toLowerCase());
        const groups = editDistance(group, each.group);
        const isInGroup = groups === 0;
        const isNear = kinds === 0 || (kinds <= allowed(kind) && groups <= allowed(group)) || isInGroup;
        return isNear ? [{ each, rank: kinds + (isInGroup ? 0 : 1 + groups) }] : [];
    });
    return ranked
        .sort((a, b) => a.rank - b.rank || a.each.kind.localeCompare(b.each.kind))
        .slice(0, mostNames)
        .map(({ each }) => nameOfKind(each));
}

/** "Cluster of cluster.x-k8s.io/v1beta2 or v1beta1" */
function nameOfKind({ group, kind, versions }: Pick<KindInCluster, "group" | "kind" | "versions">): string {
    const [first, ...others] = versions;
    return `${kind} of ${[group === "" ? first : `${group}/${first}`, ...others].join(" or ")}`;
}
