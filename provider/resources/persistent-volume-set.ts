import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { ownerOf, withOwner } from "../vim/ownership";
import { apiOf, asFailures, type ClusterAccess, liveSeconds } from "./check-cluster";
import { isGivenUp } from "./give-up";
import { isInProgram, noteInProgram } from "./in-program";
import { isEnding } from "./program-masters";
import { inUse, type Leaving, type PersistentVolume } from "./storage-users";
import type { CheckFailure, CommonInputs, Context, ResourceType } from "./types";
import { changed, hasUnknown, same, topLevel } from "./values";

export interface PersistentVolumeSetInputs extends CommonInputs {
    /** Name of the resource, for messages. */
    name: string;
    /** Mark on the objects. */
    owner: string;
    /** Of the cluster. */
    clusterId: string;
    /** Secret. */
    access: ClusterAccess;
    /** By the name of the object. */
    volumes: Record<string, KubeObject>;
    /** Names of those that may go although they are in use. */
    force: string[];
    /** How long a volume may take until claims can bind to it, in seconds. */
    timeoutSeconds: number;
}

const path = (name: string) => `/api/v1/persistentvolumes/${encodeURIComponent(name)}`;

/** Fields of a PersistentVolume's spec that Kubernetes changes in place. Others make another volume. */
const changeable = [
    "capacity",
    "accessModes",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "mountOptions",
    "claimRef",
];

/** How long a deletion waits for claims that the same run deletes, in seconds. Tests set less. */
export const claimPatience = { seconds: 60 };

/** PersistentVolumes of a cluster: made, awaited, and never removed while claims or pods use them. */
export const persistentVolumeSet: ResourceType<PersistentVolumeSetInputs, PersistentVolumeSetInputs> = {
    check: (_olds, news, context) => {
        noteInProgram(context, news.resourceUrn);
        return { inputs: news };
    },
    needsCheckInCloud: (olds, news) => !hasUnknown([news.volumes, news.access]) && !same(olds.volumes, news.volumes),
    checkInCloud: async (olds, news, context) => ({
        failures: [...asFailures(await whyInUse(olds, news)), ...(await refuseForeign(news, context))],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId", "owner"]);
        const update = changed(olds, news, ["volumes", "access", "force"]).length > 0;
        return { changes: replaces.length > 0 || update, replaces: topLevel(replaces), deleteBeforeReplace: true };
    },
    create: async (inputs, context) => {
        await reconcile({}, inputs, context);
        return { id: `${inputs.clusterId}/${inputs.name}`, outs: inputs };
    },
    update: async (_id, olds, news, context) => {
        const used = await whyInUse(olds, news);
        if (used !== undefined) throw used;
        await reconcile(olds, news, context);
        return { outs: news };
    },
    read: async (id, state, context) => {
        try {
            const found = await settle(liveSeconds, () => existing(state));
            const volumes = Object.fromEntries(Object.entries(state.volumes).filter(([name]) => found.has(name)));
            return { id, props: { ...state, volumes } };
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.warn(`${state.name}: kept as it was: ${error.reason}`);
            return { id, props: state };
        }
    },
    delete: async (_id, state, context) => {
        // With the whole cluster its objects go; data stays on the storage server.
        if (isEnding(context, state.clusterId) || isGivenUp(state.clusterId, `volumes:${state.name}`)) return;
        const replaced = isInProgram(context, state.resourceUrn);
        if (!replaced) await untilUnused(state, context);
        await remove(Object.keys(state.volumes), state, context);
    },
};

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

function whyInUse(
    olds: Partial<PersistentVolumeSetInputs>,
    { access, force, name, volumes }: PersistentVolumeSetInputs,
): Promise<NfvError | undefined> {
    return inUse({ leaving: leavingVolumes(olds, { volumes }), access, force, node: name });
}

/** At preview. The cluster may not exist yet, or not answer: then the run itself finds out. */
async function refuseForeign(inputs: PersistentVolumeSetInputs, context: Context): Promise<CheckFailure[]> {
    try {
        await settle(0, () => existing(inputs));
        return [];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (error.code === "NOT_OURS") return asFailures(error);
        context.report(`whether the volumes' names are free is asked later: ${error.reason}`);
        return [];
    }
}

/** Our volumes that the cluster has. @throws NOT_OURS for one of the wanted names that belongs to others */
async function existing({ access, volumes, owner, name: node }: PersistentVolumeSetInputs): Promise<Set<string>> {
    const api = apiOf(access);
    const found = await Promise.all(Object.keys(volumes).map(async name => [name, await api.get(path(name))] as const));
    const there = found.flatMap(([name, object]) => (object === undefined ? [] : [{ name, owner: ownerOf(object) }]));
    const others = there.filter(each => each.owner !== owner);
    if (others.length === 0) return new Set(there.map(({ name }) => name));
    const cause = others
        .map(
            each =>
                `PersistentVolume ${each.name} exists already: ${each.owner ? `made by ${each.owner}` : "not made by pulumi-nfv"}`,
        )
        .join("\n");
    throw new NfvError({ code: "NOT_OURS", node, cause });
}

async function reconcile(
    olds: Partial<PersistentVolumeSetInputs>,
    news: PersistentVolumeSetInputs,
    context: Context,
): Promise<void> {
    const { access, owner, volumes, timeoutSeconds } = news;
    const api = apiOf(access);
    context.report("look whether the volumes' names are free");
    await settle(timeoutSeconds, () => existing(news));
    await remove(
        leavingVolumes(olds, news).map(({ names }) => names[0]!),
        news,
        context,
    );
    for (const [name, object] of Object.entries(volumes)) {
        context.report(`PersistentVolume ${name}`);
        await settle(timeoutSeconds, () => api.apply(path(name), withOwner(object, owner)));
    }
    for (const name of Object.keys(volumes)) await untilReady(name, news, api, context);
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
    name: string,
    { timeoutSeconds, name: node }: PersistentVolumeSetInputs,
    api: KubeApi,
    context: Context,
): Promise<void> {
    for (const end = Date.now() + timeoutSeconds * 1000; ; ) {
        const seen = await settle(timeoutSeconds, () => api.get<PersistentVolume>(path(name)));
        const { phase = "Pending", message = "" } = seen?.status ?? {};
        if (phases[phase] === "ready") return;
        if (phases[phase] === "kept") return context.warn(releasedText(name));
        if (phases[phase] === "failed" || Date.now() > end) {
            const cause = `PersistentVolume ${name} is ${phase}${message && `: ${message}`}`;
            throw new NfvError({ code: "STEP_FAILED", node, step: "wait for the volumes", cause });
        }
        context.report(`PersistentVolume ${name} is ${phase}`);
        await sleep(500, undefined, { signal: context.signal });
    }
}

function releasedText(name: string): string {
    return (
        `PersistentVolume ${name} is Released: its claim is gone, and its data is kept. For another claim: ` +
        `kubectl patch pv ${name} --type json -p '[{"op":"remove","path":"/spec/claimRef"}]'`
    );
}

/** Removes objects of ours; what is stored stays on the storage server. One that is still bound goes when its claim does. */
async function remove(
    names: readonly string[],
    { access, owner }: PersistentVolumeSetInputs,
    context: Context,
): Promise<void> {
    const api = apiOf(access);
    for (const name of names) {
        context.report(`remove PersistentVolume ${name}`);
        const found = await settle(liveSeconds, () => api.get(path(name)));
        if (found === undefined || ownerOf(found) !== owner) continue;
        await settle(liveSeconds, () => api.delete(path(name), { preconditions: { uid: found.metadata.uid } }));
        const end = Date.now() + liveSeconds * 1000;
        while (Date.now() < end && (await settle(liveSeconds, () => api.get(path(name)))) !== undefined) {
            await sleep(300, undefined, { signal: context.signal });
        }
    }
}

/** Claims may go in the same run: it waits for them. @throws DATA_IN_USE */
async function untilUnused(state: PersistentVolumeSetInputs, context: Context): Promise<void> {
    const { access, force, name: node } = state;
    const end = Date.now() + claimPatience.seconds * 1000;
    for (;;) {
        const error = await inUse({ leaving: leavingVolumes(state), access, force, node });
        if (error === undefined) return;
        if (Date.now() > end) throw error;
        context.report("wait until no claim uses the volumes");
        await sleep(2000, undefined, { signal: context.signal });
    }
}
