import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StepSeconds } from "./critical-path";

/** The first control-plane node initialises the cluster; the others and the workers join it. */
export type MachineKind = "first" | "master" | "worker";

/** bench/recorded-steps.json, bench/recorded-bundle-steps.json. */
export interface RecordedSteps {
    /** Where the figures come from. */
    source: string;
    /** Seconds by step id; a step that is not listed took less than half a second. */
    seconds: Record<MachineKind, Record<string, number>>;
}

export function kindOf(machine: string): MachineKind {
    return machine === "m1" ? "first" : machine.startsWith("m") ? "master" : "worker";
}

export const recordedSeconds =
    ({ seconds }: RecordedSteps): StepSeconds =>
    (machine, step) =>
        seconds[kindOf(machine)][step] ?? 0;

/** Medians over machines of one kind. Journals: machine → step → seconds. */
export function recordingOf(journals: Record<string, Record<string, number>>, source: string): RecordedSteps {
    const seconds: RecordedSteps["seconds"] = { first: {}, master: {}, worker: {} };
    for (const kind of ["first", "master", "worker"] as const) {
        const own = Object.entries(journals)
            .filter(([machine]) => kindOf(machine) === kind)
            .map(([, steps]) => steps);
        for (const step of [...new Set(own.flatMap(steps => Object.keys(steps)))].sort()) {
            const sorted = own.flatMap(steps => steps[step] ?? []).sort((a, b) => a - b);
            const middle = sorted[(sorted.length - 1) >> 1];
            if (middle > 0) {
                seconds[kind][step] = middle;
            }
        }
    }
    return { source, seconds };
}

/** Where nodes get Kubernetes from: a ready image, or a bundle that is installed. */
export type RecordedSource = "image" | "bundle";

const files: Record<RecordedSource, string> = {
    image: "recorded-steps.json",
    bundle: "recorded-bundle-steps.json",
};

export const recordedStepsFile = (source: RecordedSource) => join(rootAbove(__dirname), "bench", files[source]);

export const recordedUpgradeFile = join(rootAbove(__dirname), "bench/recorded-upgrade-steps.json");

function rootAbove(folder: string): string {
    return existsSync(join(folder, "package.json")) ? folder : rootAbove(dirname(folder));
}

export function readRecordedSteps(source: RecordedSource): RecordedSteps {
    return JSON.parse(readFileSync(recordedStepsFile(source), "utf8"));
}
