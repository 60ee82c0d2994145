import type { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { type KubeApi, type KubeObject, NotYet, settle } from "../vim";
import { forEachOf } from "../vim/discovery";
import { removeNamespace } from "../vim/namespaces";
import { ownerOf, pathOf, rootOf, type ServedKind, servedKinds, withOwner } from "../vim/ownership";

/** An object of a provider, by name. */
export interface ObjectReference {
    apiVersion: string;
    kind: string;
    namespace?: string;
    name: string;
}

export function referenceOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): ObjectReference {
    return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

interface Definition {
    spec?: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
}

const patience = 10;
const clusterApi = "/apis/cluster.x-k8s.io/v1beta2";

/** Objects of many kinds on one cluster. What a kind's path is, the cluster says. */
export class ManagementObjects {
    private readonly kinds = new Map<string, Promise<ServedKind[] | undefined>>();

    constructor(private readonly api: KubeApi) {}

    /** Those that exist and do not have the owner's mark. */
    async ofOthers(objects: readonly ObjectReference[], owner: string): Promise<ObjectReference[]> {
        const found = await forEachOf(objects, object => this.find(object));
        return objects.filter((_, i) => found[i] !== undefined && ownerOf(found[i]!) !== owner);
    }

    /** Those that exist and have the owner's mark, whole. */
    async whole(objects: readonly ObjectReference[], owner: string): Promise<KubeObject[]> {
        const found = await forEachOf(objects, async object => {
            const path = await this.pathOf(object);
            return path === undefined ? undefined : this.api.get<KubeObject>(path);
        });
        return found.flatMap(object => (object !== undefined && ownerOf(object) === owner ? [object] : []));
    }

    /** Those that are not there, or are no longer the owner's. */
    async missing(objects: readonly ObjectReference[], owner: string): Promise<ObjectReference[]> {
        const found = await forEachOf(objects, object => this.find(object));
        return objects.filter((_, i) => found[i] === undefined || ownerOf(found[i]!) !== owner);
    }

    /** One after the other, in the order given: a later one may need an earlier one. */
    async applyAll(
        objects: readonly KubeObject[],
        { owner, timeoutSeconds }: { owner: string; timeoutSeconds: number },
        { title, context }: { title: string; context: Context },
    ): Promise<void> {
        for (const [i, object] of objects.entries()) {
            if (i % 10 === 0) context.report(`${title}: object ${i + 1} of ${objects.length}`);
            context.signal?.throwIfAborted();
            await settle(timeoutSeconds, async () => {
                const path = await this.pathOf(referenceOf(object));
                // A kind that was just defined is not served at once.
                if (path === undefined) throw notServed(object);
                return this.api.apply(path, withOwner(object, owner));
            });
        }
    }

    /** Those with the owner's mark. A definition whose kind has objects stays, and so does a namespace in which others have something. */
    async removeAll(objects: readonly ObjectReference[], owner: string, context: Context): Promise<void> {
        for (const object of objects) {
            const found = await settle(patience, () => this.find(object));
            if (found === undefined || ownerOf(found) !== owner) continue;
            context.report(`remove ${object.kind} ${object.name}`);
            const stays = await settle(patience, () => this.remove(object, found, owner));
            if (stays !== "") context.warn(stays);
        }
    }

    /** "namespace/name" of all Clusters; none where the cluster does not know the kind. */
    async workloadClusters(): Promise<string[]> {
        const clusters = await this.api.list(`${clusterApi}/clusters`);
        return clusters.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
    }

    /** Definitions among them of whose kinds the cluster has objects. */
    async inUse(objects: readonly ObjectReference[]): Promise<string[]> {
        const definitions = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
        const counts = await forEachOf(definitions, each => this.objectsOf(each));
        return definitions.filter((_, i) => counts[i] !== 0).map(({ name }) => name);
    }

    private async remove(object: ObjectReference, found: KubeObject, owner: string): Promise<string> {
        const { uid = "" } = found.metadata;
        if (object.kind === "Namespace") return removeNamespace(this.api, object.name, owner, uid);
        if (object.kind === "CustomResourceDefinition") {
            const count = await this.objectsOf(object);
            const has = Number.isNaN(count) ? "may have" : `has ${count}`;
            if (count !== 0)
                return `CustomResourceDefinition ${object.name} stays: the cluster ${has} objects of this kind`;
        }
        await this.api.delete((await this.pathOf(object))!, { preconditions: { uid } });
        return "";
    }

    /** How many objects the kind of a definition has. Its group may prefer a version that the kind itself does not have. */
    private async objectsOf(definition: ObjectReference): Promise<number> {
        const found = await this.api.get<Definition>((await this.pathOf(definition))!);
        if (found === undefined) return 0;
        const { group, names, versions } = found.spec ?? {};
        const version = versions?.find(({ served }) => served)?.name;
        // Without a served version there is no way to ask.
        if (version === undefined) return Number.NaN;
        return (await this.api.list(`/apis/${group}/${version}/${names?.plural}`)).length;
    }

    private async find(object: ObjectReference): Promise<KubeObject | undefined> {
        const path = await this.pathOf(object);
        return path === undefined ? undefined : this.api.metadata(path);
    }

    /** Undefined: the cluster does not serve the kind (yet). */
    private async pathOf(object: ObjectReference): Promise<string | undefined> {
        const { apiVersion, kind } = object;
        let kinds = this.kinds.get(apiVersion);
        if (kinds === undefined) {
            kinds = servedKinds(this.api, apiVersion);
            this.kinds.set(apiVersion, kinds);
        }
        const served = await kinds.then(
            found => found?.find(each => each.kind === kind),
            error => {
                this.kinds.delete(apiVersion);
                throw error;
            },
        );
        if (served === undefined) this.kinds.delete(apiVersion);
        return served && pathOf(object, served);
    }
}

function notServed({ apiVersion, kind, metadata: { name } }: KubeObject): NfvError {
    return new NotYet({
        code: "API_REFUSED",
        cause: `${kind} ${name}: the cluster does not serve ${rootOf(apiVersion)} with this kind`,
    });
}
