import { NfvError } from "../common/errors";
import { ApiRefused, type KubeApi, type KubeObject } from "./api";
import { NotYet } from "./client";

/**
 * Names the owner of an object in the cluster. The value is stored in the state of a Pulumi stack, so no two owners
 * have the same.
 */
export const ownerAnnotation = "pulumi-nfv.dev/owner";
/** A person sets it on an object that the network function of this name may take over. */
export const handOverAnnotation = "pulumi-nfv.dev/hand-over-to";

/** An object by name, as a program names it. */
export interface ObjectName {
    apiVersion: string;
    kind: string;
    namespace?: string;
    name: string;
}

/** "Cluster default/c1" */
export function titleOf({ kind, namespace, name }: ObjectName): string {
    return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

export function ownerOf({ metadata }: KubeObject): string | undefined {
    return metadata.annotations?.[ownerAnnotation];
}

/** The object with the mark of its owner. */
export function withOwner<T extends { metadata: object }>(object: T, owner: unknown): T {
    const { annotations } = object.metadata as { annotations?: object };
    return {
        ...object,
        metadata: { ...object.metadata, annotations: { ...annotations, [ownerAnnotation]: owner } },
    };
}

/** A kind that a cluster serves in one of its apiVersions. */
export interface ServedKind {
    /** The plural: "deployments". */
    name: string;
    kind: string;
    namespaced: boolean;
    verbs: string[];
}

/** The kinds of an apiVersion; undefined if the cluster does not have it. */
export async function servedKinds(api: KubeApi, apiVersion: string): Promise<ServedKind[] | undefined> {
    const list = await api.get<{ resources: ServedKind[] }>(rootOf(apiVersion));
    return list?.resources.filter(({ name }) => !name.includes("/"));
}

/** "/api/v1", "/apis/apps/v1". */
export function rootOf(apiVersion: string): string {
    return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** API path of an object of this kind. Without a namespace it is in "default", like for every client. */
export function pathOf({ apiVersion, namespace = "default", name }: ObjectName, kind: ServedKind): string {
    const place = kind.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    return `${rootOf(apiVersion)}${place}/${kind.name}/${encodeURIComponent(name)}`;
}

/** How many objects are requested in parallel. */
const atOnce = 8;

export interface ObjectsLook {
    /** apiVersions that the cluster does not have. */
    notServed: string[];
    /** Kinds of the objects that the cluster does not have, also in versions that it has. */
    unknownKinds: { apiVersion: string; kind: string }[];
    /** Kinds of the objects that are in namespaces: "Foo.example.com". */
    namespaced: string[];
    /** Existing objects that are not `owner`'s, with the mark of their owner. */
    others: { object: ObjectName; owner?: string }[];
    /**
     * Objects that a person handed over to this network function, with the mark of the other owner if they have one.
     */
    handedOver: { object: ObjectName; owner?: string }[];
    /**
     * CustomResourceDefinitions with the mark of another network function of this name: it was deleted, and definitions
     * stay.
     */
    left: { object: ObjectName; owner?: string }[];
    /** Objects that do not exist although the cluster has their kinds. */
    absent: { object: ObjectName; kind: ServedKind }[];
}

/** Deleting a definition deletes all resources of its kind, whoever made them. */
export function isDefinition({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
    return apiVersion.startsWith("apiextensions.k8s.io/") && kind === "CustomResourceDefinition";
}

/** The name in a mark: "upf" of "upf-0123456789ab". */
function nameInMark(mark: string | undefined): string | undefined {
    return /^(.+)-[0-9a-f]{12}$/.exec(mark ?? "")?.[1];
}

/** Identifies an object within its cluster. */
export function objectKey({ apiVersion, kind, namespace = "", name }: ObjectName): string {
    return [apiVersion, kind, namespace, name].join(" ");
}

/** "Foo.example.com": identifies a kind in all its versions. */
export function groupKind({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
    return `${kind}.${apiVersion.includes("/") ? apiVersion.split("/")[0] : ""}`;
}

/** The kubectl command that does this to an object, ready to paste. */
export function kubectlCommand(verb: string, { apiVersion, kind, namespace, name }: ObjectName): string {
    const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
    const place = namespace === undefined ? "" : ` --namespace ${namespace}`;
    return `kubectl${place} ${verb} ${kind.toLowerCase()}${group} ${name}`;
}

/** The command that annotates an object, ready to paste. */
export function annotateCommand(object: ObjectName, annotation: string): string {
    return `${kubectlCommand("annotate", object)} ${annotation}`;
}

/**
 * Finds out which of these objects exist in the cluster and belong to others. A kind that the cluster does not know has
 * no objects.
 * @throws API_UNREACHABLE, API_REFUSED: an object that cannot be checked never counts as free
 */
export async function lookAtObjects(
    api: KubeApi,
    objects: readonly ObjectName[],
    owner: string,
    handOverTo: string,
): Promise<ObjectsLook> {
    const kinds = new Map<string, ServedKind[] | undefined>();
    for (const apiVersion of new Set(objects.map(object => object.apiVersion))) {
        kinds.set(apiVersion, await servedKinds(api, apiVersion));
    }
    const others: ObjectsLook["others"] = [];
    const handedOver: ObjectsLook["handedOver"] = [];
    const left: ObjectsLook["left"] = [];
    const absent: ObjectsLook["absent"] = [];
    const waiting = [...objects];
    const ask = async () => {
        for (let object = waiting.shift(); object !== undefined; object = waiting.shift()) {
            const kind = kinds.get(object.apiVersion)?.find(each => each.kind === object!.kind);
            if (kind === undefined) continue;
            const found = await api.metadata(pathOf(object, kind));
            if (found === undefined) absent.push({ object, kind });
            if (found === undefined || ownerOf(found) === owner) continue;
            const given = found.metadata.annotations?.[handOverAnnotation] === handOverTo;
            const isLeft = isDefinition(object) && nameInMark(ownerOf(found)) === handOverTo;
            (given ? handedOver : isLeft ? left : others).push({ object, owner: ownerOf(found) });
        }
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    const notServed = [...kinds.keys()].filter(apiVersion => kinds.get(apiVersion) === undefined);
    const used = [
        ...new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }])).values(),
    ];
    const servedAs = (each: { apiVersion: string; kind: string }) =>
        kinds.get(each.apiVersion)?.find(({ kind }) => kind === each.kind);
    const unknownKinds = used.filter(each => servedAs(each) === undefined);
    const namespaced = [...new Set(used.filter(each => servedAs(each)?.namespaced).map(groupKind))].sort();
    return { notServed, unknownKinds, namespaced, others, handedOver, left, absent };
}

/** Objects that come and go by themselves in a namespace and hold no data of users. */
const ofTheSystem: ((kind: string, object: KubeObject) => boolean)[] = [
    kind => ["Event", "Endpoints", "EndpointSlice", "Lease", "PodMetrics"].includes(kind),
    (kind, { metadata }) => kind === "ServiceAccount" && metadata.name === "default",
    (kind, { metadata }) => kind === "ConfigMap" && metadata.name === "kube-root-ca.crt",
    // Deleted with its owner, which is counted itself.
    (kind, { metadata: { ownerReferences = [] } }) =>
        ownerReferences.length > 0 && (kind !== "PersistentVolumeClaim" || ownerReferences.every(isWorkload)),
    // It is being deleted already.
    (_, { metadata }) => metadata.deletionTimestamp !== undefined,
];

/**
 * A claim is deleted with a Pod (ephemeral) or StatefulSet if it names that as owner. Any other owner may be outside of
 * the namespace, and stay.
 */
function isWorkload(owner: object): boolean {
    return ["Pod", "StatefulSet"].includes((owner as { kind?: string }).kind ?? "");
}

interface ApiGroup {
    versions?: { groupVersion: string }[];
    preferredVersion: { groupVersion: string };
}

/** The preferred version comes first. */
function versionsOf({ versions = [], preferredVersion }: ApiGroup): string[] {
    return [...new Set([preferredVersion, ...versions].map(({ groupVersion }) => groupVersion))];
}

/**
 * What others have in a namespace: "PersistentVolumeClaim/data-0".
 * @throws API_UNREACHABLE, API_REFUSED if a kind cannot be listed
 */
export async function othersInNamespace(api: KubeApi, namespace: string, owner: string): Promise<string[]> {
    const answer = await api.get<{ groups: ApiGroup[] }>("/apis");
    const groups = (answer?.groups ?? []).map(versionsOf).filter(([version]) => !version?.includes("metrics.k8s.io/"));
    const found: string[] = [];
    for (const versions of [["v1"], ...groups]) {
        // A group may serve a kind only in a version that is not its preferred one.
        const asked = new Set<string>();
        for (const version of versions) {
            const kinds = (await kindsOf(api, version)) ?? [];
            const lists = kinds
                .filter(({ name, namespaced, verbs }) => namespaced && verbs.includes("list") && !asked.has(name))
                .map(async ({ name, kind }) => {
                    asked.add(name);
                    const path = `${rootOf(version)}/namespaces/${encodeURIComponent(namespace)}/${name}`;
                    const items = await api.list(path);
                    return items
                        .filter(item => ownerOf(item) !== owner && !ofTheSystem.some(rule => rule(kind, item)))
                        .map(({ metadata }) => `${kind}/${metadata.name}`);
                });
            found.push(...(await Promise.all(lists)).flat());
        }
    }
    // Some kinds are served by two groups.
    return [...new Set(found)].sort();
}

/** Kinds of an aggregated API server. If it is dead, nothing can be said about its objects in the namespace. */
async function kindsOf(api: KubeApi, groupVersion: string): Promise<ServedKind[] | undefined> {
    try {
        return await servedKinds(api, groupVersion);
    } catch (error) {
        if (!(error instanceof NfvError) || !groupVersion.includes("/")) throw error;
        const [group, version] = groupVersion.split("/");
        const service = `${version}.${group}`;
        const Kind = error instanceof NotYet ? NotYet : NfvError;
        throw new Kind({
            code: error.code,
            cause: `what of ${groupVersion} is in the namespace cannot be asked, as APIService ${service} does not answer: ${error.reason}`,
            hint: `Look at kubectl describe apiservice ${service}: make its server run again, or, if nobody needs it, kubectl delete apiservice ${service}.`,
        });
    }
}

export function isConflict(error: unknown): boolean {
    return error instanceof ApiRefused && error.status === 409;
}
