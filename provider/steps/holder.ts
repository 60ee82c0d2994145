import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { startOfProcess } from "../common/process-start";

/**
 * The holder of a lease: `HOST.MACHINE.PID.START.RANDOM`. MACHINE identifies this boot and process namespace. So a run
 * on the same machine can tell for sure that the holder's process is gone, and need not wait for its lease to expire.
 */
export function newHolder(): string {
    thisProcess ??= [
        hostname().replace(/[^A-Za-z0-9-]/g, "-"),
        machine(),
        process.pid,
        startOfProcess(process.pid) ?? 0,
    ].join(".");
    return `${thisProcess}.${randomBytes(4).toString("hex")}`;
}

let thisProcess: string | undefined;

/** True only if it is certain that the holder's process is gone. */
export function isDead(holder: string): boolean {
    const [, where, pid, start] = holder.split(".");
    if (where === undefined || where === "0" || where !== machine()) return false;
    return startOfProcess(Number(pid)) !== start;
}

/** "0" if the system does not say (not Linux). */
function machine(): string {
    try {
        const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
        return createHash("sha256").update(boot).update(readlinkSync("/proc/self/ns/pid")).digest("hex").slice(0, 12);
    } catch {
        return "0";
    }
}
