import { forEachOf } from "../../vim/discovery";
import { rootOf } from "../../vim/ownership";
import { guardObjects, guardPaths } from "./guard";
import { isMovable } from "./movable";
import { forgetLogin, type Login, noteLogin } from "./noted-login";
import { isCluster, isPausable, kindKey, objectKey } from "./object-key";
import type { Pair } from "./pairs";
import type { Stage } from "./stages";
import {
    contentOf,
    copyOf,
    deleteForMoveAnnotation,
    type Mark,
    markOf,
    markText,
    movingAnnotation,
    pausePatch,
} from "./transit";
import type { MoveApi, MoveObject, Sight } from "./types";

interface Both {
    from: MoveApi;
    to: MoveApi;
    /** Of `to`. Programs that made what moves get it. */
    login?: Login;
}

/** Stages in which something is done. */
type Work = Exclude<Stage["name"], "refuse" | "wait" | "done">;
type Acts = { [Name in Work]: (apis: Both, stage: Extract<Stage, { name: Name }>, sight: Sight) => Promise<void> };

/** Each may be killed at any moment and be done again. */
export const acts: Acts = {
    pause: async ({ from, to }, stage, sight) => {
        const kindsOf = { from: pathsOf(sight.from), to: pathsOf(sight.to) };
        for (const object of stage.from) {
            // A copy that a former move made stays known as such.
            const known = markOf(object);
            const mark = known?.peer === sight.to.uid ? known : { peer: sight.to.uid };
            await from.merge(kindsOf.from(object), sameObject(object, pausePatch(object, mark)));
        }
        for (const object of stage.to)
            await to.merge(kindsOf.to(object), sameObject(object, pausePatch(object, markOf(object))));
    },
    bury: async ({ to }, { objects }, sight) => {
        const pathOf = pathsOf(sight.to);
        await forEachOf(objects, object =>
            to.merge(pathOf(object), sameObject(object, { metadata: { finalizers: null } })),
        );
    },
    release: async ({ from }, { objects }, sight) => {
        const pathOf = pathsOf(sight.from);
        for (const object of objects)
            await from.merge(pathOf(object), sameObject(object, pausePatch(object, undefined)));
    },
    create: async ({ to }, { levels, namespaces }, sight) => {
        for (const name of namespaces)
            await to.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
        const pathOf = pathsOf(sight.to);
        const uids = new Map(sight.to.objects.map(object => [objectKey(object), object.metadata.uid!]));
        for (const level of levels)
            await forEachOf(level, async pair => {
                const made = await makeCopy(to, pair, { pathOf, uids, peer: sight.from.uid });
                uids.set(pair.key, made.metadata.uid!);
            });
    },
    guard: async ({ from, login }, { guards }, sight) => {
        // A program that misses its cluster finds the policy, and by it the login.
        if (login !== undefined && sight.from.objects.some(isMovable)) await noteLogin(from, sight.to.uid, login);
        for (const guard of guards) {
            // The policy is what a look finds, so it is made last.
            const [policy, binding] = guardObjects(guard);
            const [policyPath, bindingPath] = guardPaths(guard);
            if ((await from.get(bindingPath!)) === undefined) await from.post(listPath(bindingPath!), binding!);
            if ((await from.get(policyPath!)) === undefined) await from.post(listPath(policyPath!), policy!);
        }
    },
    delete: async ({ from }, { levels }, sight) => {
        const pathOf = pathsOf(sight.from);
        for (const level of levels)
            await forEachOf(level, ({ object }) => removeOriginal(from, pathOf(object), object));
    },
    clear: async ({ to }, { objects }, sight) => {
        const pathOf = pathsOf(sight.to);
        await forEachOf(objects, object => {
            const mark = isPausable(object) ? {} : { [movingAnnotation]: null };
            const annotations = { ...mark, [deleteForMoveAnnotation]: null };
            return to.merge(pathOf(object), sameObject(object, { metadata: { annotations } }));
        });
    },
    unguard: async ({ to }, { guards }, sight) => {
        const others = sight.to.guards.filter(
            ({ movedTo, namespace }) =>
                movedTo === sight.from.uid && !guards.some(guard => guard.namespace === namespace),
        );
        if (others.length === 0) await forgetLogin(to, sight.from.uid);
        for (const path of guards.flatMap(guardPaths).reverse()) await to.delete(path);
    },
    resume: async ({ from, to }, { objects }, sight) => {
        const [here, there] = [pathsOf(sight.from), pathsOf(sight.to)];
        // What Clusters are made of goes on before them.
        const inOrder = [...objects].sort((a, b) => Number(isCluster(a)) - Number(isCluster(b)));
        for (const object of inOrder) {
            // Somebody has made it again since the look: another look decides.
            if ((await from.get(here(object))) !== undefined) return;
            await to.merge(there(object), sameObject(object, pausePatch(object, undefined)));
        }
    },
};

interface Target {
    pathOf: (object: MoveObject) => string;
    uids: Map<string, string>;
    peer: string;
}

/** A copy is whole when it has what managed its fields before: controllers could not remove fields that somebody else manages, too. */
async function makeCopy(api: MoveApi, pair: Pair, { pathOf, uids, peer }: Target): Promise<MoveObject> {
    const { object, other, isShared } = pair;
    const madeFrom = object.metadata.uid!;
    const markFor = (content: string): Mark | undefined => (isShared ? undefined : { peer, madeFrom, content });
    const copy = copyOf(pair, markFor(""), key => uids.get(key)!);
    const path = pathOf(object);
    const made =
        other === undefined
            ? await api.post<MoveObject>(listPath(path), copy)
            : await api.put<MoveObject>(path, withVersionOf(other, copy));
    const mark = markFor(contentOf(pair));
    const { managedFields } = object.metadata;
    const patch = {
        metadata: {
            ...(managedFields && { managedFields }),
            ...(mark && { annotations: { [movingAnnotation]: markText(mark) } }),
        },
    };
    await api.merge(path, sameObject(made, patch));
    return made;
}

const withVersionOf = ({ metadata: { uid, resourceVersion } }: MoveObject, copy: MoveObject): MoveObject => ({
    ...copy,
    metadata: { ...copy.metadata, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
});

/** Its controllers are paused, so they never remove their finalizers. */
async function removeOriginal(api: MoveApi, path: string, object: MoveObject): Promise<void> {
    const { uid, finalizers = [] } = object.metadata;
    const leaves = { metadata: { annotations: { [deleteForMoveAnnotation]: "" } } };
    if ((await api.merge(path, sameObject(object, leaves))) === undefined) return;
    await api.delete(path, { preconditions: { ...(uid && { uid }) } });
    if (finalizers.length > 0) await api.merge(path, sameObject(object, { metadata: { finalizers: null } }));
}

/** With the uid in it, a patch is refused by an object that was made again meanwhile. */
function sameObject({ metadata: { uid } }: MoveObject, patch: object): object {
    const { metadata } = patch as { metadata?: object };
    return { ...patch, metadata: { ...metadata, uid } };
}

const listPath = (path: string) => path.slice(0, path.lastIndexOf("/"));

function pathsOf({ kinds }: Sight["from"]): (object: MoveObject) => string {
    const byKind = new Map(kinds.map(kind => [kindKey(kind), kind]));
    return object => {
        const { namespace, name } = object.metadata;
        const { apiVersion, plural, namespaced } = byKind.get(kindKey(object))!;
        const place = namespaced ? `/namespaces/${encodeURIComponent(namespace ?? "default")}` : "";
        return `${rootOf(apiVersion)}${place}/${plural}/${encodeURIComponent(name)}`;
    };
}
