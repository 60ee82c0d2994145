import type { Role } from "../../../../provider/common/model";
import type { KubernetesClusterArgs, PoolArgs } from "../../../args/args";
import type { ServerArgs } from "../../../args/infrastructure-args";
import { cloudOf } from "./cloud-args";

/** Servers with the same settings: the control-plane nodes, or a pool. */
export interface ServerGroupRequest {
    /** "control-plane", or the pool's name: part of the servers' names. */
    key: string;
    role: Role;
    pool?: string;
    /** Place in the user's inputs. */
    path: string;
    count: number;
    /** Names of the servers that leave, and stay away. */
    remove: readonly string[];
    flavor?: string;
    /** The group's settings, which override those of all servers; metadata is merged. */
    settings: ServerArgs;
    /** Settings of the group alone. */
    own: ServerArgs;
}

export const controlPlaneKey = "control-plane";

/** Control-plane nodes first, then the pools by name. Works before inputs are resolved, because all of it is plain. */
export function serverGroups(args: KubernetesClusterArgs): ServerGroupRequest[] {
    const cloud = cloudOf(args) ?? {};
    const pools = Object.entries(args.pools ?? {}).sort(([a], [b]) => natural(a, b));
    const wish = (key: string, path: string, group: Partial<PoolArgs> = {}) => ({
        key,
        path,
        count: group.count ?? 1,
        remove: group.remove ?? [],
        ...(group.flavor !== undefined && { flavor: group.flavor }),
        own: group.server ?? {},
        settings: merged(cloud.server ?? {}, group.server ?? {}),
    });
    return [
        { ...wish(controlPlaneKey, "controlPlane", args.controlPlane as object), role: "controlPlane" as const },
        ...pools.map(([pool, group]) => ({
            ...wish(pool, `pools.${pool}`, group as object),
            role: "worker" as const,
            pool,
        })),
    ];
}

function merged(all: ServerArgs, own: ServerArgs): ServerArgs {
    const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    return { ...all, ...set, metadata: { ...all.metadata, ...own.metadata } };
}

/** Natural order that does not depend on the machine's language. */
function natural(a: string, b: string): number {
    return a.localeCompare(b, "en", { numeric: true }) || (a < b ? -1 : 1);
}
