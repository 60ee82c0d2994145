import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { same } from "../contract/values";
import { applyOwned, pathOf, removeOwned, titleOf } from "../objects/owned-objects";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { apiOf } from "../vim/check-cluster";
import { type GuardedSetInputs, type GuardedSetState, guardedSet, questionOf } from "./guarded-set";
import type { Leaving, PersistentVolume } from "./storage-users";

export interface PersistentVolumeSetInputs extends GuardedSetInputs {
    /** By the name of the object. */
    volumes: Record<string, KubeObject>;
    force: string[];
}

export type PersistentVolumeSetState = GuardedSetState<PersistentVolumeSetInputs>;

/** Fields of a PersistentVolume's spec that Kubernetes changes in place. Others make another volume. */
const changeable = [
    "capacity",
    "accessModes",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "mountOptions",
    "claimRef",
];

/** PersistentVolumes of a cluster: made, awaited, and never removed while claims or pods use them. */
export const persistentVolumeSet = guardedSet<PersistentVolumeSetInputs>({
    parts: ["volumes"],
    kind: "volumes",
    what: "the volumes",
    guard: async (olds, news) => questionOf(leavingVolumes(olds, news), news ?? olds),
    change,
    // As they were, where they may not have been made again yet.
    mayBeThere: (olds, news) => ({ volumes: { ...news.volumes, ...olds.volumes } }),
    remove: async ({ access, volumes, owner }, context) => {
        for (const object of Object.values(volumes)) await removeOwned(apiOf(access), object, owner, context);
    },
});

/** Those that the program no longer has, or has with another source. */
export function leavingVolumes(
    olds: Partial<PersistentVolumeSetInputs>,
    news?: Pick<PersistentVolumeSetInputs, "volumes">,
): Leaving[] {
    return Object.entries(olds.volumes ?? {})
        .filter(([name, before]) => {
            const after = news?.volumes[name];
            return after === undefined || isOther(before, after);
        })
        .map(([name]) => ({ what: `PersistentVolume ${name}`, names: [name], asked: { volume: name } }));
}

/** Whether Kubernetes would refuse the change. */
function isOther(before: KubeObject, after: KubeObject): boolean {
    const fixed = ({ spec }: KubeObject) =>
        Object.fromEntries(Object.entries((spec ?? {}) as object).filter(([field]) => !changeable.includes(field)));
    return !same(fixed(before), fixed(after));
}

async function change(
    olds: Partial<PersistentVolumeSetInputs>,
    news: PersistentVolumeSetInputs,
    context: Context,
): Promise<void> {
    const { access, owner, volumes, timeoutSeconds } = news;
    const api = apiOf(access);
    for (const { names } of leavingVolumes(olds, news)) {
        const [name] = names as [string];
        await removeOwned(api, olds.volumes![name]!, owner, context);
    }
    for (const object of Object.values(volumes)) {
        context.report(titleOf(object));
        await applyOwned(api, object, owner, timeoutSeconds);
    }
    for (const object of Object.values(volumes)) await untilReady(object, news, api, context);
}

/** What a phase means. Others are waited for. */
const phases: Record<string, "ready" | "kept" | "failed"> = {
    Available: "ready",
    Bound: "ready",
    Released: "kept",
    Failed: "failed",
};

/** @throws STEP_FAILED */
async function untilReady(
    object: KubeObject,
    { timeoutSeconds, name: node }: PersistentVolumeSetInputs,
    api: KubeApi,
    context: Context,
): Promise<void> {
    for (const end = Date.now() + timeoutSeconds * 1000; ; ) {
        const seen = await settle(timeoutSeconds, () => api.get<PersistentVolume>(pathOf(object)));
        const { phase = "Pending", message = "" } = seen?.status ?? {};
        if (phases[phase] === "ready") return;
        if (phases[phase] === "kept") return context.warn(releasedText(object));
        if (phases[phase] === "failed" || Date.now() > end) {
            const cause = `${titleOf(object)} is ${phase}${message && `: ${message}`}`;
            throw new NfvError({ code: "STEP_FAILED", node, step: "wait for the volumes", cause });
        }
        context.report(`${titleOf(object)} is ${phase}`);
        await sleep(500, undefined, { signal: context.signal });
    }
}

function releasedText(object: KubeObject): string {
    return (
        `${titleOf(object)} is Released: its claim is gone, and its data is kept. For another claim: ` +
        `kubectl patch pv ${object.metadata.name} --type json -p '[{"op":"remove","path":"/spec/claimRef"}]'`
    );
}
