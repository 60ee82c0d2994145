import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./process";

/** One mounted cgroup hierarchy; version 1 has one per controller. */
export interface Hierarchy {
    mount: string;
    version: 1 | 2;
    controllers: string[];
}

/** Hierarchies from the text of /proc/self/mountinfo. */
export function parseHierarchies(mountinfo: string): Hierarchy[] {
    return mountinfo
        .split("\n")
        .map(line => line.split(" - "))
        .filter(halves => /^cgroup2? /.test(halves[1] ?? ""))
        .map(halves => {
            const [type, , options] = halves[1]!.split(" ");
            return {
                mount: halves[0]!.split(" ")[4]!,
                version: type === "cgroup2" ? 2 : 1,
                controllers: type === "cgroup2" ? [] : options!.split(",").filter(o => o !== "rw" && o !== "ro"),
            };
        });
}

export const hierarchies = () => parseHierarchies(readFileSync("/proc/self/mountinfo", "utf8"));

export interface Limits {
    memoryBytes?: number;
    cpus?: number;
}

const top = "nfv-lab";

/**
 * All labs together get processor time like so many processes outside of them. A group counts as one by default, so that a cluster of five nodes would
 * stand still on a machine where others compile.
 */
const processesOfLabs = 8;

/** Makes the group `nfv-lab/<path>` in every hierarchy; returns the folders. */
export function createGroup(path: string, limits: Limits = {}): string[] {
    return hierarchies().map(hierarchy => {
        let folder = hierarchy.mount;
        for (const part of [top, ...path.split("/")]) {
            const parent = folder;
            folder = join(folder, part);
            mkdirSync(folder, { recursive: true });
            if (hierarchy.controllers.includes("cpuset")) {
                inherit(parent, folder);
            }
            if (hierarchy.version === 2 && existsSync(join(parent, "cgroup.subtree_control"))) {
                const controllers = readFileSync(join(parent, "cgroup.controllers"), "utf8").trim().split(" ");
                attempt(() =>
                    writeFileSync(
                        join(parent, "cgroup.subtree_control"),
                        controllers
                            .filter(Boolean)
                            .map(c => `+${c}`)
                            .join(" "),
                    ),
                );
            }
            if (part === top)
                writeIfThere(folder, { "cpu.shares": 1024 * processesOfLabs, "cpu.weight": 100 * processesOfLabs });
        }
        limit(folder, limits);
        return folder;
    });
}

/** The kernel refuses to put a process into a cpuset without CPUs. */
function inherit(parent: string, folder: string): void {
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
        if (readFileSync(join(folder, file), "utf8").trim() === "") {
            writeFileSync(join(folder, file), readFileSync(join(parent, file), "utf8"));
        }
    }
    writeFileSync(join(folder, "cgroup.clone_children"), "1");
}

/** The settings that this version and these controllers have. */
function writeIfThere(folder: string, settings: Record<string, string | number>): void {
    for (const [file, value] of Object.entries(settings))
        if (existsSync(join(folder, file))) attempt(() => writeFileSync(join(folder, file), String(value)));
}

function limit(folder: string, limits: Limits): void {
    const { memoryBytes, cpus } = limits;
    if (memoryBytes) {
        writeIfThere(folder, { "memory.limit_in_bytes": memoryBytes, "memory.max": memoryBytes });
    }
    if (cpus) {
        const quota = Math.round(cpus * 100_000);
        writeIfThere(folder, { "cpu.cfs_quota_us": quota, "cpu.max": `${quota} 100000` });
    }
    const all = existsSync(join(folder, "cpuset.cpus")) ? readFileSync(join(folder, "cpuset.cpus"), "utf8").trim() : "";
    const chosen = chooseCpus(all, limits.cpus, folder);
    if (chosen) {
        writeIfThere(folder, { "cpuset.cpus": chosen });
    }
}

/** The CPUs of a node that has fewer than the machine. Each node starts at a different one, so that they spread. */
export function chooseCpus(list: string, count: number | undefined, salt: string): string | undefined {
    const cpus = expandCpus(list);
    if (!count || count >= cpus.length) {
        return undefined;
    }
    const start = [...salt].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    return Array.from({ length: Math.ceil(count) }, (_, i) => cpus[(start + i) % cpus.length]).join(",");
}

export function expandCpus(list: string): number[] {
    return list
        .split(",")
        .filter(Boolean)
        .flatMap(part => {
            const [from, to] = part.split("-").map(Number);
            return Array.from({ length: (to ?? from!) - from! + 1 }, (_, i) => from! + i);
        });
}

/** Every process in `nfv-lab/<path>` and below, in any hierarchy. */
export function processesOf(path: string): number[] {
    const found = new Set<number>();
    for (const { mount } of hierarchies()) {
        walk(join(mount, top, path), folder => {
            for (const pid of attempt(() => readFileSync(join(folder, "cgroup.procs"), "utf8"))?.split("\n") ?? []) {
                if (Number(pid) > 0) {
                    found.add(Number(pid));
                }
            }
        });
    }
    return [...found];
}

/** An ended process stays listed until its parent has waited for it. */
export function isRunning(pid: number): boolean {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
    return stat !== undefined && !/\) [ZX] /.test(stat);
}

/** Sends SIGKILL; a process that has ended meanwhile is no error. */
export const killProcess = (pid: number) => attempt(() => process.kill(pid, "SIGKILL"));

/** Sends SIGSTOP to all processes of a group, so that none acts any more; those that they start meanwhile, too. Returns them. */
export function stopGroup(path: string): number[] {
    const stopped = new Set<number>();
    for (;;) {
        const others = processesOf(path).filter(pid => !stopped.has(pid));
        if (others.length === 0) return [...stopped];
        for (const pid of others) {
            attempt(() => process.kill(pid, "SIGSTOP"));
            stopped.add(pid);
        }
    }
}

/** Sends SIGKILL to all processes of a group until none is left; true when it is empty. */
export function killGroup(path: string, seconds = 10): Promise<boolean> {
    return until(seconds, () => {
        const pids = processesOf(path);
        for (const pid of pids) {
            killProcess(pid);
        }
        return !pids.some(isRunning);
    });
}

/** Removes a group with everything below it. The kernel may need a moment after the last process has ended. */
export async function removeGroup(path: string, seconds = 5): Promise<boolean> {
    const folders = hierarchies().map(({ mount }) => join(mount, top, path));
    return until(seconds, () => {
        for (const folder of folders) {
            walk(folder, child => attempt(() => rmdirSync(child)));
        }
        return !folders.some(existsSync);
    });
}

/** Removes `nfv-lab` itself, unless another lab runs. */
export function removeTop(): void {
    for (const { mount } of hierarchies()) {
        attempt(() => rmdirSync(join(mount, top)));
    }
}

/** Children first. */
function walk(folder: string, visit: (folder: string) => void): void {
    for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
        if (entry.isDirectory()) {
            walk(join(folder, entry.name), visit);
        }
    }
    if (existsSync(folder)) {
        visit(folder);
    }
}

function attempt<T>(action: () => T): T | undefined {
    try {
        return action();
    } catch {
        return undefined;
    }
}
