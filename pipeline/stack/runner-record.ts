import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { startIn, startOfProcess } from "../../provider/common/process-start";
import { cacheRoot } from "../../tools/cache";
import type { Here, Runner } from "./stack-lock";

/** Files of one stack on this machine: the lock for a whole operation, the record of its run, what the launcher writes, and how long former runs took. */
export interface RunFiles {
    lock: string;
    record: string;
    process: string;
    durations: string;
}

export function runFiles(backend: string, project: string, stack: string): RunFiles {
    const id = createHash("sha256")
        .update(JSON.stringify([backend, project, stack]))
        .digest("hex")
        .slice(0, 20);
    const at = (end: string) => join(cacheRoot(), "runs", `${id}.${end}`);
    return { lock: at("lock"), record: at("run.json"), process: at("process"), durations: at("durations.json") };
}

export function here(): Here {
    const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim() : "");
    return {
        host: hostname(),
        boot: read("/proc/sys/kernel/random/boot_id"),
        pidNamespace: existsSync("/proc/self/ns/pid") ? readlinkSync("/proc/self/ns/pid") : "",
        startOf: startOfProcess,
    };
}

export function writeRecord({ record, process }: RunFiles, operation: string, since: string): void {
    const { host, boot, pidNamespace } = here();
    mkdirSync(dirname(record), { recursive: true });
    rmSync(process, { force: true });
    writeFileSync(record, JSON.stringify({ host, boot, pidNamespace, operation, since }), { mode: 0o600 });
}

export function removeRecord({ record, process }: RunFiles): void {
    for (const file of [record, process]) rmSync(file, { force: true });
}

/** Undefined: there is none, or it was written only in part. */
export function readRecord({ record, process }: RunFiles): Runner | undefined {
    try {
        const runner = JSON.parse(readFileSync(record, "utf8")) as Runner;
        const stat = existsSync(process) ? readFileSync(process, "utf8") : undefined;
        const started = stat === undefined ? undefined : startIn(stat);
        return started === undefined ? runner : { ...runner, pulumi: { pid: Number.parseInt(stat!, 10), started } };
    } catch {
        return undefined;
    }
}

/** Puts back what was there before a run that did not get the stack. */
export function restoreRecord(files: RunFiles, former: Runner | undefined): void {
    removeRecord(files);
    if (former) writeFileSync(files.record, JSON.stringify(former), { mode: 0o600 });
}
