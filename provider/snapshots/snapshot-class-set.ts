import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { applyOwned, pathOf, removeOwned } from "../objects/owned-objects";
import { untilRunning } from "../objects/workload-ready";
import { type GuardedSetInputs, type GuardedSetState, guardedSet, questionOf } from "../storage/guarded-set";
import { type GuardQuestion, inUse } from "../storage/storage-users";
import { ApiRefused, type KubeApi, type KubeObject, settle } from "../vim";
import { apiOf, liveSeconds } from "../vim/check-cluster";
import { ownerOf } from "../vim/ownership";
import { leftBehind } from "./controller";

export interface SnapshotClassSetInputs extends GuardedSetInputs {
    /** The kinds of snapshots, as CustomResourceDefinitions. None: the cluster has them, and a controller, from somebody else. */
    definitions: KubeObject[];
    /** Objects of the controller; none without definitions. */
    controller: KubeObject[];
    /** VolumeSnapshotClasses by name. */
    classes: Record<string, KubeObject>;
}

export type SnapshotClassSetState = GuardedSetState<SnapshotClassSetInputs>;

type Wanted = Pick<SnapshotClassSetInputs, "classes" | "definitions" | "controller">;

/**
 * Snapshot classes, the kinds of snapshots, and their controller. To delete a kind deletes all its objects, and with them the data of snapshots: so the
 * kinds stay while the cluster has any snapshot, and the controller leaves after them.
 */
export const snapshotClassSet = guardedSet<SnapshotClassSetInputs>({
    parts: ["definitions", "controller", "classes"],
    kind: "snapshots",
    what: "the kinds of snapshots",
    hint:
        "The kinds and the controller that are there can serve these classes: snapshotController: { enabled: false } installs none. " +
        "A VolumeSnapshotClass of others stays as it is: give yours another name.",
    guard: async (olds, news) => {
        if (news !== undefined && !supportGoes(olds, news)) return undefined;
        return questionOfKinds(olds.definitions, news ?? (olds as SnapshotClassSetInputs));
    },
    staysIfUsed: true,
    change,
    mayBeThere: (olds, news) => ({
        classes: { ...news.classes, ...olds.classes },
        ...(supportGoes(olds, news) && { definitions: olds.definitions!, controller: olds.controller ?? [] }),
    }),
    remove: async (state, context) => {
        const { access, classes, owner } = state;
        for (const object of Object.values(classes)) await removeOwned(apiOf(access), object, owner, context);
        await removeSupport(state, state, context);
    },
});

/** Whether the kinds, or some of them, leave the program. A run that failed on the way may have left them. */
function supportGoes(olds: Partial<Wanted>, news: Wanted): boolean {
    return (olds.definitions ?? []).length > 0 && news.definitions.length === 0;
}

/** Kinds that others have taken over, or made since, stay with all their snapshots: then nothing is in the way of our leaving. */
async function questionOfKinds(
    definitions: readonly KubeObject[] = [],
    inputs: SnapshotClassSetInputs,
): Promise<GuardQuestion | undefined> {
    const { access, name, owner } = inputs;
    // No name allows it: the data of snapshots would be deleted.
    const leaving = [{ what: "the kinds of snapshots", names: [], asked: { snapshots: { owner } } }];
    return (await anyIsOurs(definitions, inputs)) ? questionOf(leaving, { access, name }) : undefined;
}

/** A cluster that does not answer may have them. */
async function anyIsOurs(
    definitions: readonly KubeObject[],
    { access, owner }: SnapshotClassSetInputs,
): Promise<boolean> {
    const api = apiOf(access);
    try {
        const there = definitions.map(object => settle(liveSeconds, () => api.metadata(pathOf(object))));
        return (await Promise.all(there)).some(found => found !== undefined && ownerOf(found) === owner);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return true;
    }
}

async function change(
    olds: Partial<SnapshotClassSetInputs>,
    news: SnapshotClassSetInputs,
    context: Context,
): Promise<void> {
    const { access, owner, name: node, classes, definitions, controller, timeoutSeconds } = news;
    const api = apiOf(access);
    const apply = (object: KubeObject) => applyOwned(api, object, owner, timeoutSeconds);
    // First: classes go with their kind, so those that stay wait for the kinds of others.
    if (supportGoes(olds, news)) {
        await removeSupport({ definitions: olds.definitions!, controller: olds.controller ?? [] }, news, context);
    }
    context.report("install the kinds of snapshots and their controller");
    for (const object of definitions) await apply(object);
    await untilServed(api, news, context);
    for (const object of controller) await apply(object);
    const former = Object.entries(olds.classes ?? {}).filter(([name]) => !(name in classes));
    for (const [, object] of former) await removeOwned(api, object, owner, context);
    context.report("make the snapshot classes");
    for (const object of Object.values(classes)) await applyToKind(api, object, news, context);
    await untilRunning(api, controller, { node, timeoutSeconds }, context);
}

interface Definition extends KubeObject {
    status?: { conditions?: { type: string; status: string; message?: string }[] };
}

/** A kind can be used some moments after its definition. Without definitions of ours: those of others must be there. */
async function untilServed(
    api: KubeApi,
    { definitions, classes, name, timeoutSeconds }: SnapshotClassSetInputs,
    context: Context,
): Promise<void> {
    const end = Date.now() + timeoutSeconds * 1000;
    for (const object of definitions) {
        for (;;) {
            const found = await settle(timeoutSeconds, () => api.get<Definition>(pathOf(object)));
            const conditions = found?.status?.conditions ?? [];
            if (conditions.some(({ type, status }) => type === "Established" && status === "True")) break;
            if (Date.now() > end) {
                const why = conditions.filter(({ status }) => status === "False").map(({ message }) => message);
                const cause = `the kind ${object.metadata.name} is not established: ${why.join("; ") || "the cluster says no more"}`;
                throw new NfvError({ code: "STEP_FAILED", node: name, step: "install the kinds of snapshots", cause });
            }
            await sleep(300, undefined, { signal: context.signal });
        }
    }
    if (definitions.length > 0 || Object.keys(classes).length === 0) return;
    // An API server may serve a kind for a moment after its definition has gone.
    const isDefined = (await settle(liveSeconds, () => api.metadata(definitionPath))) !== undefined;
    if (isDefined && (await settle(liveSeconds, () => api.get(kindsPath))) !== undefined) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        cause: "snapshotController.enabled is false, but the cluster has no kinds of snapshots (snapshot.storage.k8s.io/v1)",
        hint: "Install them first, or leave snapshotController.enabled out: then they are installed here.",
    });
}

const kindsPath = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses";
const definitionPath =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/volumesnapshotclasses.snapshot.storage.k8s.io";

/** Behind one endpoint, an API server may not know a new kind yet that another one serves. */
async function applyToKind(
    api: KubeApi,
    object: KubeObject,
    { owner, timeoutSeconds }: SnapshotClassSetInputs,
    context: Context,
): Promise<void> {
    for (const end = Date.now() + timeoutSeconds * 1000; ; ) {
        try {
            return await applyOwned(api, object, owner, timeoutSeconds);
        } catch (error) {
            if (!(error instanceof ApiRefused) || error.status !== 404 || Date.now() > end) throw error;
        }
        await sleep(300, undefined, { signal: context.signal });
    }
}

/**
 * Each kind only if there are no snapshots at this moment: a claim's owner may make one at any time. The controller leaves last: only it lets go of what
 * is being deleted.
 */
async function removeSupport(
    { definitions, controller }: Pick<Wanted, "definitions" | "controller">,
    inputs: SnapshotClassSetInputs,
    context: Context,
): Promise<void> {
    const api = apiOf(inputs.access);
    for (const object of definitions) {
        const question = await questionOfKinds([object], inputs);
        const used = question && (await inUse(question));
        if (used !== undefined) throw used;
        await removeOwned(api, object, inputs.owner, context);
    }
    // Before its rights, so that it ends in order.
    for (const object of [...controller].reverse()) await removeOwned(api, object, inputs.owner, context);
    if (controller.length > 0) await settle(liveSeconds, () => api.delete(pathOf(leftBehind)));
}
