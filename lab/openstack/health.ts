import { readFileSync } from "node:fs";
import { join } from "node:path";
import { labFolder } from "../paths";
import type { Release } from "./releases";
import { allServices } from "./services";
import { supervisor } from "./supervisor";

/**
 * `starting`: the process runs and has not sent its first report. `hung`: it runs but has stopped reporting. A service that reports to
 * no API is healthy while it runs.
 */
export type HealthState = "healthy" | "starting" | "hung" | "dead";

export interface Health {
    state: HealthState;
    /** How often the supervisor has restarted it since the cloud started. */
    restarts: number;
    /** Seconds since its last known report; the supervisor looks every 30 seconds while all services are well. */
    heartbeatSeconds?: number;
}

/** run/health.json, as python/supervisor.py writes it in each round. Times are seconds since 1970. */
export interface HealthReport {
    time: number;
    services: Record<string, { state: HealthState; restarts: number; heartbeat: number | null }>;
}

/** Seconds after which the supervisor counts as hung: a round takes 2 s and may wait for three APIs, 10 s each. */
const tooOld = 45;

export function readReport(cloud: string): HealthReport | undefined {
    try {
        return JSON.parse(readFileSync(join(labFolder(cloud), "run/health.json"), "utf8")) as HealthReport;
    } catch {
        return undefined;
    }
}

/** Health by service. Whether it runs is checked now; the rest comes from the supervisor's last report, while the supervisor lives. */
export function healthOf(
    release: Release,
    alive: readonly string[],
    report: HealthReport | undefined,
    now: number,
): Record<string, Health> {
    const fresh = report !== undefined && now - report.time < tooOld;
    const entries = allServices(release).map(({ name }): [string, Health] => {
        const seen = report?.services[name];
        const beat = fresh ? seen?.heartbeat : undefined;
        return [
            name,
            {
                state: stateOf(alive.includes(name), fresh ? seen?.state : undefined),
                restarts: seen?.restarts ?? 0,
                ...(typeof beat === "number" ? { heartbeatSeconds: Math.max(0, Math.round(now - beat)) } : {}),
            },
        ];
    });
    const watching = alive.includes(supervisor.name) ? (report === undefined || fresh ? "healthy" : "hung") : "dead";
    return { ...Object.fromEntries(entries), [supervisor.name]: { state: watching, restarts: 0 } };
}

/** A service that was dead in the supervisor's report and runs now has just been started. */
function stateOf(runs: boolean, seen: HealthState | undefined): HealthState {
    if (!runs) {
        return "dead";
    }
    return seen === undefined ? "healthy" : seen === "dead" ? "starting" : seen;
}

/** `cloud status`: one line for each service. */
export function statusLines(services: readonly (Health & { name: string; log: string })[]): string[] {
    return services.map(({ name, state, restarts, heartbeatSeconds, log }) => {
        const beat = heartbeatSeconds === undefined ? "" : `report ${heartbeatSeconds} s ago`;
        const again = restarts > 0 ? `${restarts} ${restarts === 1 ? "restart" : "restarts"}` : "";
        return [name.padEnd(26), state.padEnd(8), again.padEnd(11), beat.padEnd(16), log].join(" ").trimEnd();
    });
}
