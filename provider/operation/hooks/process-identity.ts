import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process, also after its pid was given to another one. */
export interface Process {
    pid: number;
    /** When it started, in words of the system; "" if the system does not say. */
    started: string;
}

export function itself(): Process {
    return { pid: process.pid, started: startOf(process.pid) };
}

export function isAlive({ pid, started }: Process): boolean {
    try {
        process.kill(pid, 0);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
    }
    return startOf(pid) === started;
}

/** Field 22 of /proc/PID/stat, after the name, which may contain blanks; `ps` on other systems. */
function startOf(pid: number): string {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return fields[0] === "Z" ? "" : (fields[19] ?? "");
    } catch {
        return process.platform === "linux" ? "" : askPs(pid);
    }
}

function askPs(pid: number): string {
    try {
        return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    } catch {
        return "";
    }
}
