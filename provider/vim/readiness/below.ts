import { NfvError } from "../../common/errors";
import type { KubeApi, KubeObject } from "../api";
import { allKinds, forEachOf, type KindInCluster } from "../discovery";
import { pathOf } from "../ownership";
import { judge } from "./judge";
import type { StatusShape } from "./status-shape";
import type { LiveObject } from "./types";

/** An object that a given one owns, directly or through others. */
interface Owned {
    kind: KindInCluster;
    metadata: KubeObject["metadata"];
    /** 1: the object itself is named as the owner. */
    depth: number;
}

interface OwnerReference {
    uid?: string;
}

/** Kinds whose objects say nothing about readiness, and are many. */
const silentKinds = new Set([
    "Event",
    "Lease",
    "EndpointSlice",
    "Endpoints",
    "ControllerRevision",
    "ConfigMap",
    "Secret",
]);

/** How many objects are read, and how many an error names. */
const mostRead = 100;
const mostNamed = 10;

/**
 * What is not ready of the objects below one, by their owner references, one line each: "Machine c1-abc: Ready is False (…): …". The objects
 * at the bottom come first: they hold the cause. What may not be listed is left out.
 */
export async function notReadyBelow(api: KubeApi, root: LiveObject): Promise<string[]> {
    const owned = (await objectsBelow(api, root)).sort((a, b) => b.depth - a.depth);
    const read = await forEachOf(owned.slice(0, mostRead), async ({ kind, metadata }) => {
        const apiVersion = kind.group === "" ? kind.versions[0]! : `${kind.group}/${kind.versions[0]}`;
        const path = pathOf({ apiVersion, kind: kind.kind, ...metadata }, kind);
        const found = await api.get<LiveObject>(path).catch(unlessRefused);
        return found && { ...found, apiVersion, kind: kind.kind };
    });
    const wrong = read.flatMap(object => {
        if (object === undefined) return [];
        const { ready, why } = judge(object, {}, existing);
        return ready ? [] : [{ object, why }];
    });
    const warnings = await warningsOf(
        api,
        root,
        wrong.map(({ object }) => object),
    );
    const lines = wrong.map(
        ({ object, why }) => `${object.kind} ${object.metadata.name}: ${why}${warnings(object.metadata.uid)}`,
    );
    const more = lines.length > mostNamed ? [`and ${lines.length - mostNamed} more`] : [];
    const own = warnings(root.metadata.uid).replace(/^; /, "");
    return [...(own === "" ? [] : [own]), ...lines.slice(0, mostNamed), ...more];
}

/** Below an object, one of an unknown kind without conditions is no cause. */
const existing: StatusShape = { has: "none", fields: [] };

async function objectsBelow(api: KubeApi, root: LiveObject): Promise<Owned[]> {
    const { namespace } = root.metadata;
    const kinds = (await allKinds(api)).filter(
        ({ kind, verbs, namespaced, group }) =>
            verbs.includes("list") &&
            !silentKinds.has(kind) &&
            !group.endsWith("metrics.k8s.io") &&
            (namespace === undefined || namespaced),
    );
    const all = await forEachOf(kinds, async kind => {
        const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
        const root = kind.group === "" ? `/api/${kind.versions[0]}` : `/apis/${kind.group}/${kind.versions[0]}`;
        const found = (await api.list(`${root}${place}/${kind.name}?limit=500`).catch(unlessRefused)) ?? [];
        return found.map(({ metadata }) => ({ kind, metadata }));
    });
    return ownedBy(root.metadata.uid, all.flat());
}

/** Pure: those of the objects that the owner has, directly or through others, each once. */
export function ownedBy<T extends { metadata: KubeObject["metadata"] }>(
    owner: string | undefined,
    objects: readonly T[],
): (T & { depth: number })[] {
    const children = new Map<string, T[]>();
    for (const object of objects) {
        for (const { uid = "" } of (object.metadata.ownerReferences ?? []) as OwnerReference[]) {
            children.set(uid, [...(children.get(uid) ?? []), object]);
        }
    }
    const seen = new Set<string>();
    const found: (T & { depth: number })[] = [];
    let row = owner === undefined ? [] : [owner];
    for (let depth = 1; row.length > 0; depth++) {
        const next = row
            .flatMap(uid => children.get(uid) ?? [])
            .filter(({ metadata: { uid = "" } }) => {
                const isNew = uid !== "" && !seen.has(uid);
                seen.add(uid);
                return isNew;
            });
        found.push(...next.map(object => ({ ...object, depth })));
        row = next.map(({ metadata }) => metadata.uid!);
    }
    return found;
}

interface WarningEvent {
    involvedObject?: { uid?: string };
    reason?: string;
    message?: string;
    lastTimestamp?: string;
    eventTime?: string;
}

/** The last warning event of each object, as "; event REASON: message"; "" if it has none. */
async function warningsOf(
    api: KubeApi,
    { metadata: { namespace = "default" } }: LiveObject,
    objects: readonly LiveObject[],
): Promise<(uid: string | undefined) => string> {
    const namespaces = [...new Set([namespace, ...objects.map(({ metadata }) => metadata.namespace ?? namespace)])];
    const lists = await forEachOf(namespaces, async each => {
        const path = `/api/v1/namespaces/${encodeURIComponent(each)}/events?fieldSelector=type%3DWarning&limit=500`;
        return (await api.get<{ items?: WarningEvent[] }>(path).catch(unlessRefused))?.items ?? [];
    });
    const timeOf = ({ lastTimestamp, eventTime }: WarningEvent) => lastTimestamp ?? eventTime ?? "";
    const sorted = lists.flat().sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
    const last = new Map(sorted.map(event => [event.involvedObject?.uid, event]));
    return uid => {
        const event = uid === undefined ? undefined : last.get(uid);
        return event === undefined ? "" : `; event ${event.reason}: ${event.message?.trim()}`;
    };
}

function unlessRefused(error: unknown): undefined {
    if (!(error instanceof NfvError)) throw error;
    return undefined;
}
