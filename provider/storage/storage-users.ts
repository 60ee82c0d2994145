import { usualSpelling } from "../common/cidr";
import { NfvError } from "../common/errors";
import { settle } from "../vim";
import { apiOf, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import { overlap } from "./export-paths";
import { type MayBeNfs, nfsSourceOf } from "./nfs-source";
import {
    type AskedSnapshots,
    askSnapshots,
    noSnapshots,
    type SnapshotsInCluster,
    snapshotUsersOf,
} from "./snapshot-users";

/** Parts of Kubernetes' objects that say who uses a volume. */
export interface PersistentVolume {
    metadata: { name: string; annotations?: Record<string, string>; labels?: Record<string, string> };
    spec: MayBeNfs & {
        claimRef?: { namespace: string; name: string };
        storageClassName?: string;
        persistentVolumeReclaimPolicy?: string;
        [field: string]: unknown;
    };
    status?: { phase?: string; message?: string };
}

interface Pod {
    metadata: { name: string; namespace: string };
    spec: { volumes?: PodVolume[] };
    status?: { phase?: string };
}

interface PodVolume extends MayBeNfs {
    name: string;
    persistentVolumeClaim?: { claimName: string };
    ephemeral?: object;
}

/** What a cluster has of volumes. */
export interface VolumesInCluster {
    volumes: PersistentVolume[];
    pods: Pod[];
    /** Only if somebody asks about them. */
    snapshots?: SnapshotsInCluster;
}

/** What is asked about: PersistentVolumes by name, those of a class or of a driver, folders that a server exports, or snapshots. */
export interface Asked {
    volume?: string;
    storageClass?: { name: string; driver: string };
    driver?: string;
    export?: { addresses: readonly string[]; path: string };
    snapshots?: AskedSnapshots;
}

/** @throws API_UNREACHABLE, API_REFUSED */
export async function askVolumes(access: ClusterAccess, withSnapshots = false): Promise<VolumesInCluster> {
    const api = apiOf(access);
    return settle(liveSeconds, async () => {
        const [volumes, pods, snapshots] = await Promise.all([
            api.get<{ items: PersistentVolume[] }>("/api/v1/persistentvolumes"),
            api.get<{ items: Pod[] }>("/api/v1/pods"),
            withSnapshots ? askSnapshots(api) : noSnapshots,
        ]);
        return { volumes: volumes?.items ?? [], pods: pods?.items ?? [], snapshots };
    });
}

/** Who uses it, one line each: claims that are bound, pods that have not ended, and snapshots. Pure. */
export function usersOf(asked: Asked, { volumes, pods, snapshots = noSnapshots }: VolumesInCluster): string[] {
    if (asked.snapshots !== undefined) return snapshotUsersOf(asked.snapshots, snapshots);
    const running = pods.filter(({ status }) => !["Succeeded", "Failed"].includes(status?.phase ?? ""));
    const ofClaims = volumes.filter(volume => isAsked(asked, volume)).flatMap(volume => usersOfVolume(volume, running));
    const direct = running
        .filter(({ spec }) => spec.volumes?.some(each => isOfExport(asked, each)))
        .map(({ metadata }) => `pod ${metadata.namespace}/${metadata.name}, which mounts it without a claim`);
    return [...ofClaims, ...direct];
}

function usersOfVolume({ metadata, spec, status }: PersistentVolume, pods: readonly Pod[]): string[] {
    const { claimRef } = spec;
    if (claimRef === undefined) return [];
    const using = pods.filter(
        pod =>
            pod.metadata.namespace === claimRef.namespace &&
            pod.spec.volumes?.some(each => claimOf(pod, each) === claimRef.name),
    );
    if (status?.phase !== "Bound" && using.length === 0) return [];
    const names = using.map(pod => `${pod.metadata.namespace}/${pod.metadata.name}`);
    const who = names.length === 0 ? "" : ` of ${names.length === 1 ? "pod" : "pods"} ${names.join(", ")}`;
    return [`claim ${claimRef.namespace}/${claimRef.name}${who} (PersistentVolume ${metadata.name})`];
}

function isAsked(asked: Asked, { metadata, spec }: PersistentVolume): boolean {
    if (asked.volume !== undefined) return metadata.name === asked.volume;
    if (asked.driver !== undefined) return spec.csi?.driver === asked.driver;
    const { storageClass } = asked;
    if (storageClass !== undefined) {
        return spec.storageClassName === storageClass.name && spec.csi?.driver === storageClass.driver;
    }
    return isOfExport(asked, spec);
}

function isOfExport({ export: exported }: Asked, volume: MayBeNfs): boolean {
    const source = nfsSourceOf(volume);
    if (exported === undefined || source === undefined) return false;
    return (
        exported.addresses.map(plainAddress).includes(plainAddress(source.server)) &&
        overlap(source.path, exported.path)
    );
}

/** An IPv6 address may stand in brackets, and a name in any case. */
function plainAddress(server: string): string {
    return usualSpelling(server.replace(/^\[|\]$/g, "").toLowerCase());
}

/** The claim that a pod's volume uses. Kubernetes names the one that it makes for a volume of the pod's own after both. */
function claimOf({ metadata }: Pod, volume: PodVolume): string | undefined {
    if (volume.ephemeral !== undefined) return `${metadata.name}-${volume.name}`;
    return volume.persistentVolumeClaim?.claimName;
}

/** A thing that goes: its name in the program, and by what its users are found. */
export interface Leaving {
    /** "export /exports/data" */
    what: string;
    /** Names by which `force` allows it. */
    names: readonly string[];
    asked: Asked;
}

/** Those that are not allowed by name. */
export function guardedOf(leaving: readonly Leaving[], force: readonly string[]): Leaving[] {
    return leaving.filter(({ names }) => !names.some(name => force.includes(name)));
}

export interface GuardQuestion {
    leaving: readonly Leaving[];
    access: ClusterAccess | undefined;
    force: readonly string[];
    /** For messages: the machine or resource. */
    node: string;
}

/**
 * The error for what is in use, with the names of claims and pods; undefined if nothing is, or if it is allowed by name. A cluster that does not
 * answer counts as a user.
 */
export async function inUse({ leaving, access, force, node }: GuardQuestion): Promise<NfvError | undefined> {
    const guarded = guardedOf(leaving, force);
    if (guarded.length === 0 || access === undefined) return undefined;
    const refuse = (cause: string) => new NfvError({ code: "DATA_IN_USE", node, cause });
    try {
        const found = await askVolumes(
            access,
            guarded.some(({ asked }) => asked.snapshots !== undefined),
        );
        const lines = guarded.flatMap(({ what, asked }) =>
            usersOf(asked, found).map(user => `${what} is used by ${user}`),
        );
        return lines.length === 0 ? undefined : refuse(`${lines.join("\n")}\nnothing was changed`);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        const names = guarded.map(({ what }) => what).join(", ");
        return refuse(
            `${names}: whether claims, pods or snapshots use it cannot be asked, so it counts as used: ${error.reason}`,
        );
    }
}
