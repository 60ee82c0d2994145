import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import { isGivenUp } from "../contract/give-up";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { hasUnknown, same } from "../contract/values";
import {
    applyOwned,
    pathOf,
    readOwned,
    refuseForeign,
    removeOwned,
    requireOwned,
    setDiff,
    titleOf,
} from "../objects/owned-objects";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { apiOf, asFailures, type ClusterAccess } from "../vim/check-cluster";
import { inUse, type Leaving, type PersistentVolume } from "./storage-users";
import { untilUnused } from "./until-unused";

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

export interface PersistentVolumeSetState extends PersistentVolumeSetInputs {
    /** The last run failed on the way; `volumes` are those that may be there. */
    pending?: boolean;
}

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
export const persistentVolumeSet: ResourceType<PersistentVolumeSetInputs, PersistentVolumeSetState> = {
    check: (_olds, news) => ({ inputs: news }),
    needsCheckInCloud: (olds, news) => !hasUnknown([news.volumes, news.access]) && !same(olds.volumes, news.volumes),
    checkInCloud: async (olds, news, context) => ({
        failures: [
            ...asFailures(await whyInUse(olds, news)),
            ...(await refuseForeign(() => existing(news), "the volumes' names", context)),
        ],
    }),
    diff: (_id, olds, news) => setDiff(olds, news, ["volumes", "access", "force"]),
    create: async (inputs, context) => {
        const id = `${inputs.clusterId}/${inputs.name}`;
        return { id, outs: await reconcile(id, {}, inputs, context) };
    },
    update: async (id, olds, news, context) => {
        const used = await whyInUse(olds, news);
        if (used !== undefined) throw used;
        return { outs: await reconcile(id, olds, news, context) };
    },
    read: async (id, state, context) => ({
        id,
        props: await readOwned(
            state,
            () => existing(state),
            ({ byName }) => ({ volumes: byName(state.volumes) }),
            context,
        ),
    }),
    delete: async (_id, state, context) => {
        // With the whole cluster its objects go; data stays on the storage server.
        const { clusterId } = state;
        const name = `volumes:${state.name}`;
        if (runFacts(context).isEnding(clusterId) || isGivenUp(clusterId, name)) return;
        const { access, force, owner, name: node } = state;
        if (!runFacts(context).program.has(state.resourceUrn)) {
            const question = { leaving: leavingVolumes(state), access, force, node };
            await untilUnused(question, { what: "the volumes", clusterId, name }, context);
        }
        const api = apiOf(access);
        for (const object of Object.values(state.volumes)) await removeOwned(api, object, owner, context);
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

/** Paths of our volumes that the cluster has. @throws NOT_OURS for one of the wanted names that belongs to others */
function existing({ access, volumes, owner, name: node }: PersistentVolumeSetInputs): Promise<Set<string>> {
    return requireOwned(apiOf(access), Object.values(volumes), { owner, node });
}

/** An error on the way keeps what may be there, so that the next run goes on, or removes it. */
async function reconcile(
    id: string,
    olds: Partial<PersistentVolumeSetInputs>,
    news: PersistentVolumeSetInputs,
    context: Context,
): Promise<PersistentVolumeSetState> {
    context.report("look whether the volumes' names are free");
    await settle(news.timeoutSeconds, () => existing(news));
    const there = { ...olds.volumes };
    try {
        await change(there, news, context);
        return { ...news, pending: false };
    } catch (error) {
        if (Object.keys(there).length === 0) throw error;
        const properties: PersistentVolumeSetState = { ...news, volumes: there, pending: true };
        throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
    }
}

/** `there`: the volumes that may be in the cluster; it follows each change. */
async function change(
    there: Record<string, KubeObject>,
    news: PersistentVolumeSetInputs,
    context: Context,
): Promise<void> {
    const { access, owner, volumes, timeoutSeconds } = news;
    const api = apiOf(access);
    for (const { names } of leavingVolumes({ volumes: there }, news)) {
        const [name] = names as [string];
        await removeOwned(api, there[name]!, owner, context);
        delete there[name];
    }
    for (const [name, object] of Object.entries(volumes)) {
        context.report(titleOf(object));
        there[name] = object;
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
