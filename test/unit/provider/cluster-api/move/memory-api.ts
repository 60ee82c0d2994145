import type { MoveObject } from "../../../../../provider/cluster-api/move/types";
import { ApiRefused, type KubeObject } from "../../../../../provider/vim";
import { kinds, MemoryCluster, merged } from "./memory-cluster";

const namespaced = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ["get", "list"] });

/** A management cluster as a program uses it: it applies objects, and a little Cluster API makes what they say. */
export class MemoryApi extends MemoryCluster {
    /** It refuses every request. */
    isDown = false;

    override async get<T>(full: string): Promise<T | undefined> {
        this.refuseAll();
        const served = servedAt(full);
        if (served !== undefined) return { resources: served } as T;
        return super.get<T>(full);
    }

    metadata(path: string): Promise<KubeObject | undefined> {
        return this.get<KubeObject>(path);
    }

    async list(path: string): Promise<KubeObject[]> {
        return (await this.get<{ items: KubeObject[] }>(path.includes("?") ? path : `${path}?limit=500`))!.items;
    }

    async apply(path: string, object: KubeObject): Promise<KubeObject> {
        this.refuseAll();
        return this.write(() => {
            const found = this.store.get(path);
            if (found === undefined) this.refuseGuarded(object as MoveObject);
            return this.put1(path, merged(found ?? {}, object) as object) as KubeObject;
        });
    }

    override async delete(path: string, options?: { preconditions: { uid?: string } }): Promise<void> {
        this.refuseAll();
        return super.delete(path, options);
    }

    private refuseAll(): void {
        if (this.isDown) throw new ApiRefused(401, `${this.name} does not know the token`);
    }

    /** What Cluster API makes of the Clusters that are not paused. `endpoint`: of the cluster. */
    work(endpoint: string): void {
        for (const cluster of this.movable().values()) {
            if (cluster.kind !== "Cluster" || (cluster["spec"] as { paused?: boolean } | undefined)?.paused) continue;
            const { apiVersion, kind, metadata } = cluster;
            const { name, namespace = "", uid = "" } = metadata;
            const conditions = [{ type: "Available", status: "True" }];
            const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: true };
            Object.assign(cluster, { status: { conditions, initialization } });
            const ownerReferences = [{ apiVersion, kind, name, uid }];
            for (const object of this.movable().values())
                if (object.kind === "LabCluster" && object.metadata.name === name)
                    Object.assign(object.metadata, { ownerReferences });
            const value = Buffer.from(kubeconfigOf(endpoint)).toString("base64");
            const path = `/api/v1/namespaces/${namespace}/secrets/${name}-kubeconfig`;
            if (!this.store.has(path))
                this.add({
                    kind: "Secret",
                    metadata: { name: `${name}-kubeconfig`, namespace, ownerReferences },
                    data: { value },
                });
        }
    }

    /** Titles of what is there and could move. */
    titles(): string[] {
        return [...this.movable().values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
    }
}

function servedAt(path: string): object[] | undefined {
    if (path === "/api/v1")
        return [
            namespaced("secrets", "Secret"),
            namespaced("configmaps", "ConfigMap"),
            { ...namespaced("namespaces", "Namespace"), namespaced: false },
        ];
    const [, group, version] = /^\/apis\/([^/?]+)\/([^/?]+)$/.exec(path) ?? [];
    if (group === undefined) return undefined;
    return kinds
        .filter(each => each.group === group && (each.version ?? "v1beta2") === version)
        .map(({ plural, kind, global }) => ({ ...namespaced(plural, kind), namespaced: !global }));
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

const kubeconfigOf = (
    endpoint: string,
) => `clusters: [{cluster: {server: "${endpoint}", certificate-authority-data: ${base64("ca")}}}]
users: [{user: {client-certificate-data: ${base64("certificate")}, client-key-data: ${base64("key")}}}]
`;
