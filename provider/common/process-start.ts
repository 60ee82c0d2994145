import { readFileSync } from "node:fs";

/** When a process began, in the kernel's ticks: pids are used again. Undefined: no process with this pid runs. */
export function startOfProcess(pid: number): string | undefined {
    try {
        return startIn(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
        return undefined;
    }
}

/** The same from the text of /proc/PID/stat: field 22. The command in field 2 may contain blanks and brackets. Undefined: it has ended. Pure. */
export function startIn(stat: string): string | undefined {
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}
