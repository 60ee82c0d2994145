import { createHash } from "node:crypto";
import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { type KubeApi, type KubeObject, settle } from "../../vim";
import { liveSeconds } from "../../vim/check-cluster";
import { forEachOf } from "../../vim/discovery";
import { findOrMakeNamespace, getNamespace, removeNamespace } from "../../vim/namespaces";
import {
    annotateCommand,
    groupKind,
    handOverAnnotation,
    lookAtObjects,
    type ObjectName,
    type ObjectsLook,
    objectKey,
    ownerOf,
    pathOf,
    rootOf,
    servedKinds,
    titleOf,
} from "../../vim/ownership";
import { clusterPath, type WorkloadName } from "../look-at-workload";
import { asMovable, notePatch } from "../move/movable";
import { ManagementObjects } from "../provider-objects";

/** The objects of a workload cluster that can move. They are applied by us, and not by Pulumi's plugin, which would miss them where they were. */
export interface HeldObjects {
    /** Name of the resource, which a hand-over names. */
    name: string;
    /** The mark on them. */
    owner: string;
    /** Secret. */
    objects: KubeObject[];
}

/** A kind in a version. */
export type Kind = Pick<ObjectName, "apiVersion" | "kind">;

/** Names of the objects in lists of their kind: none is forgotten that a killed run has made. */
const ownerLabel = "pulumi-nfv.dev/movable-of";

/** A mark may be longer than a label's value. */
const labelOf = (owner: string) => createHash("sha256").update(owner).digest("hex").slice(0, 16);

/** What others need comes first, and the Cluster, with which Cluster API begins, last. */
const ranks: ((object: KubeObject) => boolean)[] = [
    ({ apiVersion }) => apiVersion === "v1",
    ({ kind }) => kind.endsWith("Template"),
    ({ kind }) => kind === "ClusterClass",
    ({ kind }) => kind !== "Cluster",
    () => true,
];

const rankOf = (object: KubeObject) => ranks.findIndex(fits => fits(object));

export const nameOf = ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): ObjectName => ({
    ...{ apiVersion, kind, name },
    ...(namespace !== undefined && { namespace }),
});

export interface ClaimedObjects extends Omit<HeldObjects, "objects"> {
    objects: readonly ObjectName[];
}

/** What forbids to apply objects: others have made some of these names; undefined: nothing. */
export async function foreignObjects(api: KubeApi, claimed: ClaimedObjects): Promise<NfvError | undefined> {
    const { owner, objects, name } = claimed;
    return notOurs(name, (await lookAtObjects(api, objects, owner, name)).others);
}

function notOurs(name: string, others: ObjectsLook["others"]): NfvError | undefined {
    if (others.length === 0) return undefined;
    const lines = others.map(({ object, owner: other }) => {
        const who = other === undefined ? "not made by pulumi-nfv" : `made by ${other}`;
        return `${titleOf(object)} exists already: ${who}`;
    });
    const commands = others.map(({ object }) => annotateCommand(object, `${handOverAnnotation}=${name}`));
    return new NfvError({
        code: "NOT_OURS",
        node: `WorkloadCluster "${name}"`,
        cause: lines.sort().join("\n"),
        hint: ["Delete them, give yours other names, or hand them over:", ...commands.sort()].join("\n"),
    });
}

/** Applies all, and notes which cluster it is. Each run does all of it: objects that are as wished stay as they are. */
export async function applyHeld(
    api: KubeApi,
    { name, owner, objects }: HeldObjects,
    at: WorkloadName & { timeoutSeconds: number; knownAs?: string },
    context: Context,
): Promise<void> {
    const { others, handedOver } = await settle(liveSeconds, () =>
        lookAtObjects(api, objects.map(nameOf), owner, name),
    );
    const refused = notOurs(name, others);
    if (refused !== undefined) throw refused;
    if (at.namespace !== "default") await settle(liveSeconds, () => findOrMakeNamespace(api, at.namespace, owner));
    const labels = { [ownerLabel]: labelOf(owner) };
    const inOrder = [...objects]
        .sort((a, b) => rankOf(a) - rankOf(b))
        .map(each => asMovable(withoutTexts(each), labels));
    const { timeoutSeconds } = at;
    const shown = { title: "apply its objects", context };
    await new ManagementObjects(api).applyAll(inOrder, { owner, timeoutSeconds }, shown);
    await settle(liveSeconds, async () => {
        const made = await api.metadata(clusterPath(at));
        const patch = made && notePatch(made, at.knownAs !== undefined);
        if (patch !== undefined) await api.merge(clusterPath(at), patch);
    });
    // A hand-over is valid once.
    for (const { object } of handedOver)
        await settle(liveSeconds, async () => {
            const served = (await servedKinds(api, object.apiVersion))!.find(({ kind }) => kind === object.kind)!;
            await api.merge(pathOf(object, served), { metadata: { annotations: { [handOverAnnotation]: null } } });
        });
}

/** A Secret with its texts as data: a key that the program leaves out would stay otherwise. */
function withoutTexts(object: KubeObject): KubeObject {
    const { stringData, ...rest } = object as KubeObject & { data?: object; stringData?: Record<string, string> };
    if (object.kind !== "Secret" || stringData === undefined) return object;
    const texts = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    return { ...rest, data: { ...rest.data, ...Object.fromEntries(texts) } };
}

export const kindsOf = (objects: readonly Kind[]): Kind[] => [
    ...new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }])).values(),
];

/** Removes what the program no longer has, such as templates of former machines. `kinds`: in which it may be. */
export async function removeLeftOut(
    api: KubeApi,
    { owner, objects }: { owner: string; objects: readonly ObjectName[] },
    { kinds, namespace }: { kinds: readonly Kind[]; namespace: string },
    context: Context,
): Promise<void> {
    const inAnyVersion = (of: ObjectName) => objectKey({ ...of, apiVersion: groupKind(of) });
    const wanted = new Set(objects.map(inAnyVersion));
    await forEachOf(kinds, async ({ apiVersion, kind }) => {
        const served = (await servedKinds(api, apiVersion))?.find(each => each.kind === kind);
        if (served === undefined) return;
        const path = `${rootOf(apiVersion)}/namespaces/${namespace}/${served.name}`;
        const selector = encodeURIComponent(`${ownerLabel}=${labelOf(owner)}`);
        for (const found of await api.list(`${path}?labelSelector=${selector}`)) {
            const { name, uid } = found.metadata;
            if (ownerOf(found) !== owner || wanted.has(inAnyVersion({ apiVersion, kind, namespace, name }))) continue;
            context.report(`remove ${kind} ${name}`);
            await api.delete(`${path}/${name}`, { preconditions: { ...(uid && { uid }) } });
        }
    });
}

/** After the Cluster: all other objects, and the namespace if it was made for them and has nothing else. */
export async function removeHeld(
    api: KubeApi,
    owner: string,
    where: { kinds: readonly Kind[]; namespace: string },
    context: Context,
): Promise<void> {
    await settle(liveSeconds, () => removeLeftOut(api, { owner, objects: [] }, where, context));
    const namespace = await settle(liveSeconds, () => getNamespace(api, where.namespace));
    if (namespace === undefined || ownerOf(namespace) !== owner) return;
    const stays = await settle(liveSeconds, () => removeNamespace(api, where.namespace, owner));
    if (stays !== "") context.warn(stays);
}
