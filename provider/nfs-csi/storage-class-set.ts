import { setTimeout as sleep } from "node:timers/promises";
import { namespace } from "../common/add-on-objects";
import type { Context } from "../contract/types";
import { same } from "../contract/values";
import { applyOwned, pathOf, removeOwned, titleOf } from "../objects/owned-objects";
import { untilRunning } from "../objects/workload-ready";
import { type GuardedSetInputs, type GuardedSetState, guardedSet, questionOf } from "../storage/guarded-set";
import { askVolumes, type Leaving, type PersistentVolume } from "../storage/storage-users";
import { claimPatience } from "../storage/until-unused";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { apiOf, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import { controllerName, driverName, leftBehind, makesSnapshots, nodePluginName } from "./driver";
import { fixedFields } from "./storage-classes";

export interface StorageClassSetInputs extends GuardedSetInputs {
    /** Objects of the NFS CSI driver. None: the cluster has it from somebody else. */
    driver: KubeObject[];
    /** StorageClasses by name. */
    classes: Record<string, KubeObject>;
    force: string[];
}

export type StorageClassSetState = GuardedSetState<StorageClassSetInputs>;

type Wanted = Pick<StorageClassSetInputs, "classes" | "driver">;

/**
 * Storage classes of the NFS CSI driver, and the driver itself. Neither goes while claims or pods use it. A volume keeps what its class said when it
 * was made, so the objects may be changed and made again.
 */
export const storageClassSet = guardedSet<StorageClassSetInputs>({
    parts: ["driver", "classes"],
    kind: "classes",
    what: "the storage classes",
    hint:
        `The driver that is there can serve these classes: nfsCsi: { enabled: false } installs none. ` +
        "A StorageClass of others stays as it is: give yours another name.",
    guard: async (olds, news) => questionOf(leavingClasses(olds, news), news ?? olds),
    warnings: (olds, news) =>
        remade(olds, news).map(
            name => `StorageClass ${name} is made again: volumes that it has provisioned keep their settings`,
        ),
    change,
    mayBeThere: (olds, news) => ({
        // As they were, where they may not have been made again yet.
        classes: { ...news.classes, ...olds.classes },
        driver: news.driver.length > 0 ? [...news.driver, ...leftOut(olds, news)] : (olds.driver ?? []),
    }),
    remove: async (state, context) => {
        const { access, classes, owner } = state;
        for (const object of Object.values(classes)) await removeOwned(apiOf(access), object, owner, context);
        await removeDriver(state.driver, state, context);
    },
});

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
