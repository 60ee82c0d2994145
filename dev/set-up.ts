import { spawn } from "node:child_process";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { machineSources, plainLayers, serviceLayers } from "../lab/images";
import { kubernetesImage } from "../lab/kubernetes-image";
import { withNfs } from "../lab/nfs-layer";
import { Cloud } from "../lab/openstack";
import { cloudLayers } from "../lab/openstack/packages";
import { serverImages } from "../lab/openstack/server-images";
import { ensurePrerequisites } from "../lab/prerequisites";
import { ensureBundle } from "../tools/bundle";
import { pulumiEnvironment } from "../tools/pulumi-environment";
import { resolveTool } from "../tools/resolver";
import { hasProgram } from "../tools/run";
import { ensurePackages } from "../tools/system-packages";
import type { ToolName } from "../tools/versions";
import { inColumn, phase, say } from "./progress";
import { stopSignal } from "./stop";
import { ensureTackerSamples } from "./tacker-samples";

export type SetUpName = "shellcheck" | "tacker-samples" | "pulumi" | "bundle" | "add-ons" | "lab" | "nfs" | "cloud";

type Report = (line: string) => void;

/** What a level needs, so that no test's time limit pays for it. */
export interface SetUp {
    /** Installs it or puts it into the cache. Does little if it is there. */
    make(report: Report): Promise<unknown>;
    /** Starts what must run beside the tests. Returns what ends it, unless somebody else started it. */
    start?(report: Report): Promise<(() => Promise<void>) | undefined>;
}

export const setUps: Record<SetUpName, SetUp> = {
    shellcheck: {
        make: async onProgress => {
            if (!(await hasProgram("shellcheck")))
                await ensurePackages(["shellcheck"], "the level lint", { onProgress });
        },
    },
    // A machine without a package index goes on: the tests that need the samples skip themselves, and say why.
    "tacker-samples": {
        make: async onProgress => {
            const missing = await ensureTackerSamples(onProgress);
            if (missing !== undefined) onProgress(missing);
        },
    },
    pulumi: { make: onProgress => pulumiEnvironment({ plugins: ["kubernetes", "openstack"], onProgress }) },
    bundle: { make: onProgress => ensureBundle({ onProgress }) },
    // A machine without the mirror has not all: the tests that need them skip themselves, and say why.
    "add-ons": {
        make: async onProgress => {
            const has = (name: ToolName) =>
                resolveTool(name, { onProgress }).then(
                    () => true,
                    (error: Error) => onProgress(error.message.split("\n")[1]!.trim()),
                );
            for (const name of ["cluster-api", "cluster-api-openstack"] as const) await has(name);
            // Drivers of storage need all of them.
            const sidecars = ["csi-attacher", "csi-resizer", "external-snapshotter"] as const;
            if (await has("add-ons")) for (const name of sidecars) await has(name);
        },
    },
    lab: {
        make: async report => {
            await ensurePrerequisites();
            await machineSources();
            await plainLayers(report);
            await serviceLayers(report);
            await kubernetesImage(report);
        },
    },
    nfs: { make: async report => withNfs(await plainLayers(report), report) },
    cloud: {
        make: async report => {
            await ensurePrerequisites();
            await cloudLayers(report);
            await serverImages(report);
        },
        // A cloud that runs already belongs to somebody: it is used and left running.
        start: async onProgress => {
            const ours = Cloud.find() === undefined;
            const cloud = await Cloud.up({ onProgress });
            return ours && !process.env["PULUMI_NFV_KEEP_CLOUD"] ? () => cloud.down({ purge: true }) : undefined;
        },
    },
};

/** Runs `work` when everything that `names` lists is there. Afterwards ends what was started, also when `work` or a set-up failed. */
export async function withSetUp<T>(
    names: readonly SetUpName[],
    work: () => Promise<T>,
    table: Record<string, SetUp> = setUps,
    ahead: ReadonlyMap<string, Promise<void>> = aheadOf,
): Promise<T> {
    const ends: (() => Promise<void>)[] = [];
    const bring = async (name: string, report: Report) => {
        await table[name]!.make(report);
        return table[name]!.start?.(report);
    };
    try {
        for (const name of names) {
            await ahead.get(name);
            stopSignal.throwIfAborted();
            const end = await phase(`set-up: ${name}`, report => bring(name, report)).catch(error => {
                throw new SetUpFailed(name, error);
            });
            if (end) ends.unshift(end);
        }
        return await work();
    } finally {
        // If one fails, the others still run, and the result of the tests stays.
        for (const end of ends)
            await end().catch(error =>
                say(`  ✘ what was set up is not removed: ${error instanceof Error ? error.message : error}`),
            );
    }
}

const aheadOf = new Map<string, Promise<void>>();

/**
 * Begins to make what levels will need, one after another, in processes of low priority beside the first levels. A level waits for its own
 * parts, and makes again what failed here. Returns the seconds that this took, so that a first run on a machine can be told from others.
 */
export function makeAhead(names: readonly SetUpName[]): { seconds: () => number } {
    let seconds = 0;
    let before: Promise<void> = Promise.resolve();
    for (const name of names) {
        before = before.then(() =>
            inColumn(`set-up ${name}`, async () => {
                const began = Date.now();
                // It ends itself when its standard input is closed: when this process ends, however that happens.
                const child = spawn(process.execPath, [path.join(__dirname, "make-ahead.js"), name], {
                    stdio: ["pipe", "pipe", "pipe"],
                    detached: true,
                });
                for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", say);
                await new Promise(resolve => child.once("close", resolve).once("error", resolve));
                seconds += (Date.now() - began) / 1000;
            }),
        );
        aheadOf.set(name, before);
    }
    return { seconds: () => Math.round(seconds) };
}

/** What a level needs could not be made; none of its tests ran. */
export class SetUpFailed extends Error {
    constructor(name: string, cause: unknown) {
        super(`set-up "${name}" failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
}
