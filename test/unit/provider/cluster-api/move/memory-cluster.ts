import { moveLabels } from "../../../../../provider/cluster-api/move/move-kinds";
import type { MoveApi, MoveObject } from "../../../../../provider/cluster-api/move/types";
import { ApiRefused } from "../../../../../provider/vim";

interface Kind {
    group: string;
    kind: string;
    plural: string;
    version?: string;
    global?: boolean;
    labels?: string[];
}

const infrastructure = "infrastructure.cluster.x-k8s.io";

export const kinds: Kind[] = [
    { group: "cluster.x-k8s.io", kind: "Cluster", plural: "clusters" },
    { group: "cluster.x-k8s.io", kind: "ClusterClass", plural: "clusterclasses" },
    { group: "cluster.x-k8s.io", kind: "Machine", plural: "machines" },
    { group: "cluster.x-k8s.io", kind: "MachineSet", plural: "machinesets" },
    { group: "addons.cluster.x-k8s.io", kind: "ClusterResourceSet", plural: "clusterresourcesets" },
    { group: "addons.cluster.x-k8s.io", kind: "ClusterResourceSetBinding", plural: "clusterresourcesetbindings" },
    { group: infrastructure, kind: "LabCluster", plural: "labclusters", version: "v1beta1" },
    { group: infrastructure, kind: "LabMachine", plural: "labmachines", version: "v1beta1" },
    { group: infrastructure, kind: "LabImage", plural: "labimages", version: "v1beta1", labels: [moveLabels[0]] },
    {
        ...{ group: infrastructure, kind: "LabIdentity", plural: "labidentities", version: "v1beta1", global: true },
        labels: [moveLabels[1]],
    },
];

export const apiVersionOf = (kind: string): string => {
    const { group, version = "v1beta2" } = kinds.find(each => each.kind === kind) ?? { group: "", version: "v1" };
    return group === "" ? version : `${group}/${version}`;
};

/** Thrown in place of a request's answer, as if the process had ended there. */
export class Killed extends Error {}

/** As much of an API server as a move uses: uids, finalizers, owners, guards. Every write is shown to `watch`. */
export class MemoryCluster implements MoveApi {
    readonly store = new Map<string, MoveObject>();
    watch: () => void = () => {};
    /** Before the write with this number, or after it was done, the process ends. */
    kill?: { left: number; isDone: boolean };
    private count = 0;

    constructor(readonly name: string) {
        this.put1("/api/v1/namespaces/kube-system", { metadata: { name: "kube-system" } });
        this.put1("/api/v1/namespaces/default", { metadata: { name: "default" } });
        for (const { group, kind, plural, version = "v1beta2", global, labels = [] } of kinds) {
            const on = Object.fromEntries(
                ["clusterctl.cluster.x-k8s.io", ...labels].map(label => [label, ""] as const),
            );
            const spec = {
                ...{ group, names: { kind, plural }, scope: global ? "Cluster" : "Namespaced" },
                versions: [{ name: version, storage: true, served: true }],
            };
            this.put1(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`, {
                metadata: { name: `${plural}.${group}`, labels: on },
                spec,
            });
        }
        this.provider("cluster-api", "CoreProvider", "v1.13.6");
        this.provider("infrastructure-lab", "InfrastructureProvider", "v0.1.0");
    }

    provider(name: string, type: string, version: string): void {
        const path = `/apis/clusterctl.cluster.x-k8s.io/v1alpha3/namespaces/${name}-system/providers/${name}`;
        this.put1(path, { metadata: { name, namespace: `${name}-system` }, type, version });
    }

    /** Puts an object there as if it had always been. */
    add(object: Omit<MoveObject, "apiVersion">): MoveObject {
        const whole = { apiVersion: apiVersionOf(object.kind as string), ...object } as MoveObject;
        return this.put1(pathOf(whole), whole);
    }

    /** All objects that could move, by key. */
    movable(): Map<string, MoveObject> {
        const found = [...this.store].filter(
            ([path]) =>
                kinds.some(({ plural }) => path.includes(`/${plural}/`)) ||
                path.includes("/secrets/") ||
                path.includes("/configmaps/"),
        );
        return new Map(found);
    }

    async get<T>(full: string): Promise<T | undefined> {
        const [path, query] = full.split("?") as [string, string?];
        if (query === undefined) return copy(this.store.get(path)) as T | undefined;
        const last = path.slice(path.lastIndexOf("/"));
        const root = path.slice(0, -last.length);
        const asked = new URLSearchParams(query);
        const [label, value] = asked.get("labelSelector")?.split("=") ?? [];
        const items = [...this.store]
            .filter(([at]) => at.startsWith(root) && at.slice(0, at.lastIndexOf("/")).endsWith(last))
            .filter(([, { metadata }]) => label === undefined || metadata.labels?.[label] === value)
            .map(([, { kind: _, apiVersion: __, ...rest }]) => copy(rest));
        const [next, limit] = [Number(asked.get("continue") ?? 0), Number(asked.get("limit") ?? Number.MAX_VALUE)];
        const rest = next + limit < items.length ? String(next + limit) : "";
        return { metadata: { continue: rest }, items: items.slice(next, next + limit) } as T;
    }

    async post<T>(path: string, body: object): Promise<T> {
        return this.write(() => {
            const object = body as MoveObject;
            const at = `${path}/${object.metadata.name}`;
            if (this.store.has(at)) throw new ApiRefused(409, `${at} exists`);
            const { namespace } = object.metadata;
            if (namespace !== undefined && !this.store.has(`/api/v1/namespaces/${namespace}`))
                throw new ApiRefused(404, `namespace ${namespace} does not exist`);
            this.refuseGuarded(object);
            this.refuseUnowned(object);
            const { status: _, ...stored } = object as unknown as Record<string, unknown>;
            return copy(this.put1(at, stored)) as T;
        });
    }

    async put<T>(path: string, body: object): Promise<T> {
        return this.write(() => {
            const object = body as MoveObject;
            const found = this.store.get(path);
            if (found === undefined || found.metadata.resourceVersion !== object.metadata.resourceVersion)
                throw new ApiRefused(409, `${path} changed`);
            this.refuseUnowned(object);
            // A deletion that has begun cannot be taken back.
            const { deletionTimestamp } = found.metadata;
            const metadata = { ...object.metadata, ...(deletionTimestamp !== undefined && { deletionTimestamp }) };
            return copy(this.put1(path, { ...object, metadata, status: found["status"] })) as T;
        });
    }

    async merge<T>(path: string, patch: object): Promise<T | undefined> {
        return this.write(() => {
            const found = this.store.get(path);
            if (found === undefined) return undefined;
            const { uid } = (patch as { metadata?: { uid?: string } }).metadata ?? {};
            if (uid !== undefined && uid !== found.metadata.uid) throw new ApiRefused(409, `${path}: another uid`);
            this.put1(path, merged(found, patch) as object);
            this.collect(path);
            return copy(this.store.get(path)) as T | undefined;
        });
    }

    async delete(path: string, options?: { preconditions: { uid?: string } }): Promise<void> {
        this.write(() => {
            const found = this.store.get(path);
            if (found === undefined) return;
            const uid = options?.preconditions.uid;
            if (uid !== undefined && uid !== found.metadata.uid) throw new ApiRefused(409, `${path}: another uid`);
            found.metadata.deletionTimestamp = "now";
            this.collect(path);
        });
    }

    protected write<T>(work: () => T): T {
        const { kill } = this;
        if (kill !== undefined && kill.left-- <= 0 && !kill.isDone) throw new Killed();
        const done = work();
        this.watch();
        if (kill !== undefined && kill.left < 0) throw new Killed();
        return done;
    }

    private collect(path: string): void {
        const { deletionTimestamp, finalizers = [] } = this.store.get(path)?.metadata ?? {};
        if (deletionTimestamp !== undefined && finalizers.length === 0) this.store.delete(path);
    }

    /** The garbage collector would remove it. */
    private refuseUnowned({ kind, metadata }: MoveObject): void {
        const uids = new Set([...this.store.values()].map(each => each.metadata.uid));
        for (const { uid } of metadata.ownerReferences ?? [])
            if (!uids.has(uid)) throw new Error(`${kind} ${metadata.name} has an owner that does not exist`);
    }

    protected refuseGuarded({ kind, metadata }: MoveObject): void {
        const guarded = [...this.store].some(
            ([at, { metadata: policy }]) =>
                at.includes("/validatingadmissionpolicies/") &&
                policy.labels?.["pulumi-nfv.dev/moved-namespace"] === metadata.namespace,
        );
        if (kind === "Cluster" && guarded && metadata.annotations?.["pulumi-nfv.dev/moving"] === undefined)
            throw new ApiRefused(422, "guarded");
    }

    protected put1(path: string, object: object): MoveObject {
        const { metadata } = object as MoveObject;
        const number = ++this.count;
        const stored = {
            ...object,
            metadata: { ...metadata, uid: metadata.uid ?? `${this.name}-${number}`, resourceVersion: String(number) },
        } as MoveObject;
        this.store.set(path, stored);
        return stored;
    }
}

export function pathOf({ apiVersion, kind, metadata: { namespace, name } }: MoveObject): string {
    const plural = kinds.find(each => each.kind === kind)?.plural ?? `${kind.toLowerCase()}s`;
    const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
    return `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}${place}/${plural}/${name}`;
}

export function merged(into: unknown, patch: unknown): unknown {
    if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
    const result: Record<string, unknown> = { ...(into as object) };
    for (const [field, value] of Object.entries(patch)) {
        if (value === null) delete result[field];
        else result[field] = merged(result[field] ?? {}, value);
    }
    return result;
}

export function copy<T>(value: T): T {
    return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}
