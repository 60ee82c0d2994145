import type { Disk, HealthFacts } from "./facts";
import type { Limits } from "./limits";

/** Which of kubelet's thresholds hold for a folder; for the others, none does: they get its defaults for a node. */
const signals: Record<string, string> = { "/var/lib/kubelet": "nodefs", "/var/lib/containerd": "imagefs" };

export type Resource = "space" | "inodes";

export interface FullDisk {
    folder: string;
    usedPercent: number;
}

/** One for each file system that has less space, or fewer inodes, than kubelet tolerates. */
export function fullDisks({ disks, evictions }: HealthFacts, limits: Limits, resource: Resource): FullDisk[] {
    const full = disks.flatMap((disk): (FullDisk & { device: string })[] => {
        const [total, free] = resource === "space" ? [disk.size, disk.free] : [disk.inodes, disk.freeInodes];
        const least = leastFree(disk, total, { resource, evictions, limits });
        if (total === 0 || free >= least) return [];
        const { folder, device } = disk;
        return [{ folder, device, usedPercent: Math.floor((100 * (total - free)) / total) }];
    });
    const first = full.filter(({ device }, i) => full.findIndex(each => each.device === device) === i);
    return first.map(({ device: _, ...disk }) => disk);
}

interface Question {
    resource: Resource;
    evictions?: Record<string, string>;
    limits: Limits;
}

/** Of settings that have some thresholds, the others are 0. */
function leastFree({ folder }: Disk, total: number, { resource, evictions, limits }: Question): number {
    const what = resource === "space" ? "available" : "inodesFree";
    const signal = signals[folder];
    if (signal === undefined) return quantity(limits.evictions[`nodefs.${what}`], total);
    return quantity((evictions ?? limits.evictions)[`${signal}.${what}`], total);
}

const units: Record<string, number> = {
    "": 1,
    ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
    ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** 0, so that nothing is less, for a text that is neither a share nor a quantity. */
function quantity(text: string | undefined, total: number): number {
    const [, number, unit] = /^([\d.]+)(%|[kMGT]i?|Ki|)$/.exec(text ?? "") ?? [];
    if (number === undefined) return 0;
    return unit === "%" ? (Number(number) / 100) * total : Number(number) * (units[unit!] ?? 0);
}
