import { isCluster, isClusterClass, kindKey } from "./object-key";
import type { MoveObject } from "./types";

/** A Secret or ConfigMap that an object names. */
export interface Reference {
    kind: string;
    namespace: string;
    name: string;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => value !== null && typeof value === "object";

/** Fields that name a Secret, and only those: a name alone says nothing. */
const secretFields = ["identityRef", "secretRef", "secret"];

/** The Secrets that an object needs, like the login to its cloud. No owner reference says so. */
export function referencesOf({ spec, metadata: { namespace = "" } }: MoveObject): Reference[] {
    const found: Reference[] = [];
    const visit = (value: unknown) => {
        if (!isFields(value)) return;
        for (const [field, inner] of Object.entries(value)) {
            const name =
                field === "dataSecretName" ? inner : isFields(inner) && secretFields.includes(field) && inner["name"];
            if (typeof name === "string" && isSecret(inner)) {
                const place = isFields(inner) ? inner["namespace"] : undefined;
                found.push({ kind: "Secret", namespace: typeof place === "string" ? place : namespace, name });
            }
            visit(inner);
        }
    };
    visit(spec);
    return found;
}

/** An identity may be of another kind. */
function isSecret(reference: unknown): boolean {
    if (!isFields(reference)) return true;
    const kind = reference["kind"] ?? reference["type"] ?? "Secret";
    return kind === "Secret";
}

const purposes = ["kubeconfig", "ca", "etcd", "sa", "proxy", "apiserver-etcd-client"];

/** The cluster to which a Secret belongs by its name: "site" of "site-ca". */
function clusterOfSecret(name: string): string | undefined {
    const purpose = purposes.find(each => name.endsWith(`-${each}`));
    return purpose && name.slice(0, -purpose.length - 1);
}

interface Topology {
    class?: string;
    classNamespace?: string;
    classRef?: { name?: string; namespace?: string };
}

/** "namespace/name" of the ClusterClass that a Cluster uses. */
export function classOf({ spec, metadata: { namespace = "" } }: MoveObject): string | undefined {
    const { topology } = (spec ?? {}) as { topology?: Topology };
    const name = topology?.classRef?.name ?? topology?.class;
    return name && `${topology?.classRef?.namespace ?? topology?.classNamespace ?? namespace}/${name}`;
}

/** Pairs of objects that belong together without an owner reference, as clusterctl knows them; and the Secrets that are named by others. */
export function softOwners(objects: readonly MoveObject[]): { object: MoveObject; owner: MoveObject }[] {
    const byPlace = new Map(objects.map(each => [placeOf(each), each]));
    const find = (kind: string, namespace: string, name: string) => byPlace.get(`${kind} ${namespace}/${name}`);
    return objects.flatMap(each => {
        const { namespace = "", name } = each.metadata;
        const pairs: { object: MoveObject | undefined; owner: MoveObject | undefined }[] = referencesOf(each).map(
            reference => ({
                object: find(`${reference.kind}.`, reference.namespace, reference.name),
                owner: each,
            }),
        );
        const cluster = (of: unknown) => find("Cluster.cluster.x-k8s.io", namespace, String(of));
        if (kindKey(each) === "Secret." && (each.metadata.ownerReferences ?? []).length === 0)
            pairs.push({ object: each, owner: cluster(clusterOfSecret(name)) });
        if (kindKey(each) === "ClusterResourceSetBinding.addons.cluster.x-k8s.io")
            pairs.push({ object: each, owner: cluster((each["spec"] as Fields | undefined)?.["clusterName"]) });
        if (isCluster(each)) {
            const used = classOf(each);
            pairs.push({
                object: each,
                owner:
                    used === undefined
                        ? undefined
                        : objects.find(other => isClusterClass(other) && nameOf(other) === used),
            });
        }
        return pairs.filter(isWhole);
    });
}

const isWhole = (pair: {
    object: MoveObject | undefined;
    owner: MoveObject | undefined;
}): pair is { object: MoveObject; owner: MoveObject } =>
    pair.object !== undefined && pair.owner !== undefined && pair.object !== pair.owner;

const nameOf = ({ metadata: { namespace = "", name } }: MoveObject) => `${namespace}/${name}`;
const placeOf = (object: MoveObject) => `${kindKey(object)} ${nameOf(object)}`;
