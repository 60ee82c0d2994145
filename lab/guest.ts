import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus as machineCpus } from "node:os";
import { dirname, join } from "node:path";

/**
 * Kernel settings of the whole machine that a node may nevertheless write: the node gets plain files with the machine's values.
 * Folders are copied whole; all other files outside /proc/sys/net stay read-only.
 */
const ownSettings = {
    folders: ["vm", "fs"],
    files: [
        ...["kernel/panic", "kernel/panic_on_oops", "kernel/sysrq", "kernel/core_pattern", "kernel/core_uses_pid"],
        ...["kernel/pid_max", "kernel/threads-max", "kernel/printk", "kernel/kptr_restrict", "kernel/dmesg_restrict"],
        ...["kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "kernel/unprivileged_bpf_disabled"],
        ...["kernel/perf_event_paranoid", "kernel/yama/ptrace_scope", "net/netfilter/nf_conntrack_max"],
    ],
};

/** Content of /proc/meminfo of a machine with this much memory, most of it free. */
export function meminfo(bytes: number): string {
    const total = Math.floor(bytes / 1024);
    const rows: [string, number][] = [
        ["MemTotal", total],
        ["MemFree", Math.floor(total * 0.85)],
        ["MemAvailable", Math.floor(total * 0.92)],
        ["Buffers", 0],
        ["Cached", Math.floor(total * 0.07)],
        ["SwapCached", 0],
        ["Active", Math.floor(total * 0.05)],
        ["Inactive", Math.floor(total * 0.05)],
        ["SwapTotal", 0],
        ["SwapFree", 0],
        ["Shmem", 0],
        ["SReclaimable", 0],
    ];
    const huge = "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n";
    return rows.map(([name, value]) => `${`${name}:`.padEnd(16)}${String(value).padStart(8)} kB\n`).join("") + huge;
}

/** The first `count` processors of a /proc/cpuinfo. */
export function cpuinfo(text: string, count: number): string {
    return `${text.trimEnd().split("\n\n").slice(0, count).join("\n\n")}\n\n`;
}

/** Fills the folder that the node sees as /run/nfv-lab; boot.sh mounts what is in `over/` over the node's own files. */
export function writeGuestFolder(folder: string, memoryBytes: number | undefined, cpus: number | undefined): void {
    const over = (path: string, content: string) => {
        const file = join(folder, "over", path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
    };
    for (const path of ownSettings.files) {
        const value = read(join("/proc/sys", path));
        if (value !== undefined) {
            over(join("proc/sys", path), value);
        }
    }
    for (const path of ownSettings.folders) {
        copySettings(join("/proc/sys", path), join(folder, "trees", path));
    }
    if (memoryBytes) {
        over("proc/meminfo", meminfo(memoryBytes));
    }
    if (cpus && cpus < machineCpus().length) {
        over("proc/cpuinfo", cpuinfo(read("/proc/cpuinfo") ?? "", Math.ceil(cpus)));
        over("sys/devices/system/cpu/online", cpus > 1 ? `0-${Math.ceil(cpus) - 1}\n` : "0\n");
    }
}

function copySettings(from: string, to: string): void {
    mkdirSync(to, { recursive: true });
    for (const entry of readdirSync(from, { withFileTypes: true })) {
        if (entry.isDirectory()) {
            copySettings(join(from, entry.name), join(to, entry.name));
        } else {
            writeFileSync(join(to, entry.name), read(join(from, entry.name)) ?? "");
        }
    }
}

/** Some settings can be written but not read. */
function read(path: string): string | undefined {
    try {
        return readFileSync(path, "utf8");
    } catch {
        return undefined;
    }
}
