import { setTimeout as sleep } from "node:timers/promises";
import { namespace } from "../common/add-on-objects";
import type { NfvError } from "../common/errors";
import { isGivenUp } from "../contract/give-up";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown, same } from "../contract/values";
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
import { untilRunning } from "../objects/workload-ready";
import { askVolumes, inUse, type Leaving, type PersistentVolume } from "../storage/storage-users";
import { claimPatience, untilUnused } from "../storage/until-unused";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { apiOf, asFailures, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import { controllerName, driverName, leftBehind, makesSnapshots, nodePluginName } from "./driver";
import { fixedFields } from "./storage-classes";

export interface StorageClassSetInputs extends CommonInputs {
    /** Name of the resource, for messages. */
    name: string;
    /** Mark on the objects. */
    owner: string;
    /** Of the cluster. */
    clusterId: string;
    /** Secret. */
    access: ClusterAccess;
    /** StorageClasses by name. */
    classes: Record<string, KubeObject>;
    /** Objects of the NFS CSI driver. None: the cluster has it from somebody else. */
    driver: KubeObject[];
    /** Names of classes that may go although claims use them. */
    force: string[];
    /** How long the driver may take until it runs, in seconds. */
    timeoutSeconds: number;
}

export interface StorageClassSetState extends StorageClassSetInputs {
    /** The last run failed on the way: `classes` and `driver` are all objects that may be there. */
    pending: boolean;
}

type Wanted = Pick<StorageClassSetInputs, "classes" | "driver">;

/**
 * Storage classes of the NFS CSI driver, and the driver itself. Neither goes while claims or pods use it. A volume keeps what its class said when it
 * was made, so the objects may be changed and made again.
 */
export const storageClassSet: ResourceType<StorageClassSetInputs, StorageClassSetState> = {
    check: (_olds, news) => ({ inputs: news }),
    needsCheckInCloud: (olds, news) =>
        !hasUnknown([news.classes, news.driver, news.access]) && changed(olds, news, ["classes", "driver"]).length > 0,
    checkInCloud: async (olds, news, context) => {
        for (const name of remade(olds, news)) {
            context.warn(`StorageClass ${name} is made again: volumes that it has provisioned keep their settings`);
        }
        return {
            failures: [
                ...asFailures(await whyInUse(olds, news)),
                ...(await refuseForeign(() => requireFree(news), "the names", context)),
            ],
        };
    },
    diff: (_id, olds, news) => setDiff(olds, news, ["classes", "driver", "access", "force"]),
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
            () => requireFree(state),
            ({ byName, list }) => ({ classes: byName(state.classes), driver: list(state.driver) }),
            context,
        ),
    }),
    delete: async (_id, state, context) => {
        // With the whole cluster its objects go, and nobody would serve the finalizers of volumes; data stays on the storage server.
        const { clusterId } = state;
        const name = `classes:${state.name}`;
        if (runFacts(context).isEnding(clusterId) || isGivenUp(clusterId, name)) return;
        if (!runFacts(context).program.has(state.resourceUrn)) {
            const { access, force, name: node } = state;
            const question = { leaving: leavingClasses(state), access, force, node };
            await untilUnused(question, { what: "the storage classes", clusterId, name }, context);
        }
        const api = apiOf(state.access);
        for (const object of Object.values(state.classes)) await removeOwned(api, object, state.owner, context);
        await removeDriver(state.driver, state, context);
    },
};

/** Classes that the program no longer has; the driver, or its part in snapshots, where it goes. */
export function leavingClasses(olds: Partial<StorageClassSetState>, news?: Wanted): Leaving[] {
    const classes = Object.keys(olds.classes ?? {}).filter(name => !(name in (news?.classes ?? {})));
    const driver = driverGoes(olds, news)
        ? [{ what: "the NFS CSI driver", names: [driverName, ...classes], asked: { driver: driverName } }]
        : [];
    return [
        ...classes.map(name => ({
            what: `StorageClass ${name}`,
            names: [name],
            asked: { storageClass: { name, driver: driverName } },
        })),
        ...driver,
        ...(snapshotterGoes(olds, news)
            ? // No name allows it: nobody would delete the data of these snapshots any more.
              [{ what: `the snapshotter of ${driverName}`, names: [], asked: { snapshots: { driver: driverName } } }]
            : []),
    ];
}

/** Of a run that failed on the way nobody knows which pods it has changed. */
function snapshotterGoes({ driver = [], pending }: Partial<StorageClassSetState>, news?: Wanted): boolean {
    const mayBeThere = makesSnapshots(driver) || (pending === true && driver.length > 0);
    return mayBeThere && !makesSnapshots(news?.driver ?? []);
}

/** Objects that the driver has no more. */
function leftOut(olds: Partial<Wanted>, { driver }: Wanted): KubeObject[] {
    const wanted = new Set(driver.map(pathOf));
    return driver.length === 0 ? [] : (olds.driver ?? []).filter(object => !wanted.has(pathOf(object)));
}

function driverGoes(olds: Partial<Wanted>, news?: Wanted): boolean {
    return (olds.driver ?? []).length > 0 && (news?.driver ?? []).length === 0;
}

/** Classes that Kubernetes would refuse to change. */
function remade(olds: Partial<Wanted>, news: Wanted): string[] {
    return Object.entries(news.classes)
        .filter(([name, after]) => {
            const before = olds.classes?.[name];
            return before !== undefined && fixedFields.some(field => !same(before[field], after[field]));
        })
        .map(([name]) => name);
}

function whyInUse(
    olds: Partial<StorageClassSetState>,
    { access, force, name, classes, driver }: StorageClassSetInputs,
): Promise<NfvError | undefined> {
    return inUse({ leaving: leavingClasses(olds, { classes, driver }), access, force, node: name });
}

/** Paths of our objects that exist. @throws NOT_OURS */
function requireFree({ access, owner, name: node, classes, driver }: StorageClassSetInputs): Promise<Set<string>> {
    const hint =
        `The driver that is there can serve these classes: nfsCsi: { enabled: false } installs none. ` +
        "A StorageClass of others stays as it is: give yours another name.";
    return requireOwned(apiOf(access), [...driver, ...Object.values(classes)], { owner, node, hint });
}

/** An error on the way keeps what may be there, so that the next run goes on, or removes it. */
async function reconcile(
    id: string,
    olds: Partial<StorageClassSetInputs>,
    news: StorageClassSetInputs,
    context: Context,
): Promise<StorageClassSetState> {
    context.report("look whether the names are free");
    await settle(news.timeoutSeconds, () => requireFree(news));
    try {
        await change(olds, news, context);
        return { ...news, pending: false };
    } catch (error) {
        // As they were, where they may not have been made again yet.
        const classes = { ...news.classes, ...olds.classes };
        const driver = news.driver.length > 0 ? [...news.driver, ...leftOut(olds, news)] : (olds.driver ?? []);
        const properties: StorageClassSetState = { ...news, classes, driver, pending: true };
        throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
    }
}

async function change(
    olds: Partial<StorageClassSetInputs>,
    news: StorageClassSetInputs,
    context: Context,
): Promise<void> {
    const { access, owner, name: node, classes, driver, timeoutSeconds } = news;
    const api = apiOf(access);
    if (driver.length === 0) await warnWithoutDriver(api, news, context);
    const former = olds.classes ?? {};
    for (const name of [...Object.keys(former).filter(each => !(each in classes)), ...remade(olds, news)]) {
        await removeOwned(api, former[name]!, owner, context);
    }
    for (const object of [...driver, ...Object.values(classes)]) {
        context.report(titleOf(object));
        await applyOwned(api, object, owner, timeoutSeconds);
    }
    for (const object of leftOut(olds, news).reverse()) await removeOwned(api, object, owner, context);
    if (driverGoes(olds, news)) await removeDriver(olds.driver!, news, context);
    await untilRunning(api, driver, { node, timeoutSeconds }, context);
}

async function warnWithoutDriver(api: KubeApi, { name }: StorageClassSetInputs, context: Context): Promise<void> {
    const driver: KubeObject = { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: driverName } };
    if ((await settle(liveSeconds, () => api.metadata(pathOf(driver)))) !== undefined) return;
    context.warn(`${name}: the cluster has no CSIDriver ${driverName}: claims wait until somebody installs it`);
}

/** Volumes are mounted, unmounted and deleted by the driver, so it leaves after the last one. */
async function removeDriver(
    driver: readonly KubeObject[],
    { access, owner, name }: StorageClassSetInputs,
    context: Context,
): Promise<void> {
    if (driver.length === 0) return;
    const rest = await volumesThatStay(access, context);
    if (rest.length > 0) {
        const names = rest.map(({ metadata }) => metadata.name).join(", ");
        context.warn(
            `${name}: the NFS CSI driver stays, because it has volumes: ${names}. When they are gone: kubectl delete csidriver ${driverName}; ` +
                `kubectl --namespace ${namespace} delete deployment/${controllerName} daemonset/${nodePluginName}`,
        );
        return;
    }
    const api = apiOf(access);
    // Before its rights, so that it ends in order.
    for (const object of [...driver].reverse()) await removeOwned(api, object, owner, context);
    for (const object of leftBehind) await settle(liveSeconds, () => api.delete(pathOf(object)));
}

/** Volumes of the driver, once it has deleted those that it is about to delete. */
async function volumesThatStay(access: ClusterAccess, context: Context): Promise<PersistentVolume[]> {
    for (const end = Date.now() + claimPatience.seconds * 1000; ; ) {
        const { volumes } = await askVolumes(access);
        const ours = volumes.filter(({ spec }) => spec.csi?.driver === driverName);
        const leaves = ({ spec, status }: PersistentVolume) =>
            spec.persistentVolumeReclaimPolicy === "Delete" && status?.phase !== "Bound";
        if (!ours.some(leaves) || Date.now() > end) return ours;
        context.report("wait until the driver has deleted the volumes of former claims");
        await sleep(2000, undefined, { signal: context.signal });
    }
}
