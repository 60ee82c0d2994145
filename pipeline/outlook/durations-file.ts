import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Durations, noDurations } from "./durations";

/** A file that cannot be read, or of another release, is as good as none: durations are no truth that a run depends on. */
export function readDurations(file: string): Durations {
    if (!existsSync(file)) return noDurations;
    try {
        const read: unknown = JSON.parse(readFileSync(file, "utf8"));
        return isDurations(read) ? read : noDurations;
    } catch {
        return noDurations;
    }
}

/** The file has its former content or the new one, whenever the process is killed. */
export function writeDurations(file: string, durations: Durations): void {
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    try {
        writeFileSync(draft, JSON.stringify(durations), { mode: 0o600 });
        renameSync(draft, file);
    } finally {
        rmSync(draft, { force: true });
    }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
const isSeconds = (value: unknown): value is number =>
    typeof value === "number" && Number.isFinite(value) && value >= 0;
const areTimes = (value: unknown) =>
    isObject(value) && Object.values(value).every(times => Array.isArray(times) && times.every(isSeconds));

function isDurations(value: unknown): value is Durations {
    if (!isObject(value) || value["version"] !== 1) return false;
    const { seconds, others, runs, atOnce } = value;
    const areKnown = areTimes(seconds) && areTimes(others) && isObject(runs) && isObject(atOnce);
    return areKnown && Object.values(runs).every(isRun) && Object.values(atOnce).every(isSeen);
}

function isSeen(value: unknown): boolean {
    return isObject(value) && isSeconds(value["count"]) && typeof value["isLimit"] === "boolean";
}

function isRun(value: unknown): boolean {
    if (!isObject(value) || typeof value["began"] !== "string" || !isSeconds(value["seconds"])) return false;
    return isObject(value["nodes"]) && Object.values(value["nodes"]).every(isSeconds);
}
