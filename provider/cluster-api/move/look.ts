import { NfvError } from "../../common/errors";
import { forEachOf } from "../../vim/discovery";
import { rootOf } from "../../vim/ownership";
import { guardOf, guardsPath } from "./guard";
import { isMovable } from "./movable";
import { type Definition, movableKinds } from "./move-kinds";
import { isCluster, isPausable } from "./object-key";
import { referencesOf } from "./soft-owners";
import { markOf } from "./transit";
import type { Guard, InstalledProvider, MovableKind, MoveApi, MoveObject, Side, Sight } from "./types";

interface List<T> {
    metadata?: { continue?: string };
    items?: T[];
}

/** How many objects a request asks for: a hundred Secrets may have megabytes. */
const pageSize = 100;

/** Where the API does not know the path, there is nothing, unless a definition says that it must. */
export async function listOf<T>(api: MoveApi, path: string, isDefined = false): Promise<T[]> {
    const items: T[] = [];
    let next: string | undefined = "";
    do {
        const query: string = `limit=${pageSize}${next ? `&continue=${encodeURIComponent(next)}` : ""}`;
        const page: List<T> | undefined = await api.get<List<T>>(`${path}?${query}`);
        if (page === undefined && (isDefined || next)) {
            const cause = `${path} cannot be listed: 404`;
            throw new NfvError({ code: "API_REFUSED", cause, hint: "Its kind is defined: look whether it is served." });
        }
        items.push(...(page?.items ?? []));
        next = page?.metadata?.continue;
    } while (next);
    return items;
}

interface InventoryEntry {
    metadata: { name: string; namespace: string };
    type?: string;
    version?: string;
}

async function providersOf(api: MoveApi): Promise<InstalledProvider[]> {
    const found = await listOf<InventoryEntry>(api, "/apis/clusterctl.cluster.x-k8s.io/v1alpha3/providers");
    return found.map(({ metadata: { name, namespace }, type, version = "" }) => ({
        ...{ name, namespace, version },
        isInfrastructure: type === "InfrastructureProvider",
    }));
}

async function objectsOf(api: MoveApi, kind: MovableKind, namespaces: readonly string[]): Promise<MoveObject[]> {
    const { apiVersion, kind: name, plural } = kind;
    const isCore = apiVersion === "v1";
    const places = isCore ? namespaces.map(each => `/namespaces/${each}`) : [""];
    const found = await forEachOf(places, place =>
        listOf<MoveObject>(api, `${rootOf(apiVersion)}${place}/${plural}`, true),
    );
    // Items of a list have no kind.
    return found.flat().map(object => ({ ...object, apiVersion, kind: name }));
}

interface Basics {
    uid: string;
    providers: InstalledProvider[];
    kinds: MovableKind[];
    custom: MoveObject[];
    namespaces: string[];
    guards: Guard[];
}

async function basicsOf(api: MoveApi): Promise<Basics> {
    const [home, definitions, providers, namespaces, guards] = await Promise.all([
        api.get<MoveObject>("/api/v1/namespaces/kube-system"),
        listOf<Definition>(api, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
        providersOf(api),
        listOf<MoveObject>(api, "/api/v1/namespaces"),
        listOf<MoveObject>(api, guardsPath),
    ]);
    const uid = home?.metadata.uid;
    if (uid === undefined)
        throw new NfvError({
            code: "API_REFUSED",
            cause: "the cluster has no namespace kube-system, or does not show it",
        });
    const kinds = movableKinds(definitions);
    const custom = await forEachOf(
        kinds.filter(({ apiVersion }) => apiVersion !== "v1"),
        kind => objectsOf(api, kind, []),
    );
    return {
        ...{ uid, providers, kinds },
        custom: custom.flat(),
        namespaces: namespaces.map(({ metadata }) => metadata.name),
        guards: guards.flatMap(({ metadata }) => guardOf(metadata.labels)),
    };
}

/** Which namespaces: those in which something has to move, or has begun to; to bring back: those that had moved, or had begun to. */
export interface Scope {
    returning: boolean;
    /** Only of these. */
    namespaces?: readonly string[] | undefined;
}

/** Both sides as they are now. */
export async function lookAtBoth(from: MoveApi, to: MoveApi, scope: Scope): Promise<Sight> {
    const [here, there] = await Promise.all([basicsOf(from), basicsOf(to)]);
    const namespaces = namespacesOf(here, there, scope);
    const needed = placesOfSecrets(here, namespaces);
    const sideOf = async (api: MoveApi, { custom, ...basics }: Basics): Promise<Side> => {
        const places = needed.filter(each => basics.namespaces.includes(each));
        const builtIn = await forEachOf(
            basics.kinds.filter(({ apiVersion }) => apiVersion === "v1"),
            kind => objectsOf(api, kind, places),
        );
        return { ...basics, objects: [...custom, ...builtIn.flat()] };
    };
    const [fromSide, toSide] = await Promise.all([sideOf(from, here), sideOf(to, there)]);
    return { from: fromSide, to: toSide, namespaces };
}

/** Clusters of a move, "NAMESPACE/NAME". */
export interface PlacesOfClusters {
    /** Still, or again, where they were. */
    left: string[];
    /** What a move back would take. */
    arrived: string[];
    /** Uid of the cluster that has those that arrived. */
    uid: string;
    /** A program made some of those, and asks where they are. */
    areAskedFor: boolean;
}

/** Where the clusters are, without a look at their other objects. */
export async function whereClustersAre(
    from: MoveApi,
    to: MoveApi,
    namespaces: readonly string[] | undefined,
): Promise<PlacesOfClusters> {
    const [here, there] = await Promise.all([basicsOf(from), basicsOf(to)]);
    const left = clustersIn(here, namespacesOf(here, there, { returning: false, namespaces }));
    const arrived = clustersIn(there, namespacesOf(there, here, { returning: true, namespaces }));
    return {
        left: namesOf(left),
        arrived: namesOf(arrived),
        uid: there.uid,
        areAskedFor: arrived.some(isMovable),
    };
}

const clustersIn = ({ custom }: Basics, namespaces: readonly string[]) =>
    custom.filter(object => isCluster(object) && namespaces.includes(object.metadata.namespace ?? ""));

const namesOf = (clusters: readonly MoveObject[]) =>
    clusters.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

function namespacesOf(here: Basics, there: Basics, { returning, namespaces }: Scope): string[] {
    const begun = [
        ...here.custom.filter(object => markOf(object)?.peer === there.uid),
        ...there.custom.filter(object => markOf(object)?.peer === here.uid),
    ];
    const open = returning ? [] : here.custom.filter(isPausable);
    const moved = returning ? there.guards.filter(({ movedTo }) => movedTo === here.uid) : [];
    const found = [...begun, ...open].flatMap(({ metadata }) => metadata.namespace ?? []);
    const all = new Set([...found, ...moved.map(({ namespace }) => namespace)]);
    return [...all].filter(each => namespaces?.includes(each) ?? true).sort();
}

/** Namespaces with Secrets that may move: those of the clusters, of the providers, and of what identities for all namespaces name. */
function placesOfSecrets({ providers, custom }: Basics, namespaces: readonly string[]): string[] {
    const global = custom.filter(({ metadata }) => metadata.namespace === undefined);
    return [
        ...new Set([
            ...namespaces,
            ...providers.filter(({ isInfrastructure }) => isInfrastructure).map(({ namespace }) => namespace),
            ...global.flatMap(referencesOf).map(({ namespace }) => namespace),
        ]),
    ];
}
