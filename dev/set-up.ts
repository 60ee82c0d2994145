import { machineSources, plainLayers, serviceLayers } from "../lab/images";
import { kubernetesImage } from "../lab/kubernetes-image";
import { withNfs } from "../lab/nfs-layer";
import { Cloud } from "../lab/openstack";
import { ensurePrerequisites } from "../lab/prerequisites";
import { ensureBundle } from "../tools/bundle";
import { pulumiEnvironment } from "../tools/pulumi-environment";
import { resolveTool } from "../tools/resolver";
import { hasProgram } from "../tools/run";
import { ensurePackages } from "../tools/system-packages";
import type { ToolName } from "../tools/versions";
import { phase } from "./progress";
import { ensureTackerSamples } from "./tacker-samples";

export type SetUpName = "shellcheck" | "tacker-samples" | "pulumi" | "bundle" | "add-ons" | "lab" | "nfs" | "cloud";

/** Makes what a level needs, so that no test's time limit pays for it. Returns the function that removes it, if it must be removed. */
export type SetUp = (report: (line: string) => void) => Promise<(() => Promise<void>) | undefined>;

export const setUps: Record<SetUpName, SetUp> = {
    shellcheck: async onProgress => {
        if (!(await hasProgram("shellcheck"))) await ensurePackages(["shellcheck"], "the level lint", { onProgress });
        return undefined;
    },
    // A machine without a package index goes on: the tests that need the samples skip themselves, and say why.
    "tacker-samples": async onProgress => {
        await ensureTackerSamples(onProgress).catch((error: Error) => {
            if (/do not match the hashes/i.test(error.message)) throw error;
            onProgress(error.message);
        });
        return undefined;
    },
    pulumi: async onProgress => {
        await pulumiEnvironment({ plugins: ["kubernetes", "openstack"], onProgress });
        return undefined;
    },
    bundle: async onProgress => {
        await ensureBundle({ onProgress });
        return undefined;
    },
    // A machine without the mirror has not all: the tests that need them skip themselves, and say why.
    "add-ons": async onProgress => {
        const has = (name: ToolName) =>
            resolveTool(name, { onProgress }).then(
                () => true,
                (error: Error) => onProgress(error.message.split("\n")[1]!.trim()),
            );
        for (const name of ["cluster-api", "cluster-api-openstack"] as const) await has(name);
        // Drivers of storage need all of them.
        const sidecars = ["csi-attacher", "csi-resizer", "external-snapshotter"] as const;
        if (await has("add-ons")) for (const name of sidecars) await has(name);
        return undefined;
    },
    lab: async report => {
        await ensurePrerequisites();
        await machineSources();
        await plainLayers(report);
        await serviceLayers(report);
        await kubernetesImage(report);
        return undefined;
    },
    nfs: async report => {
        await withNfs(await plainLayers(report), report);
        return undefined;
    },
    // A cloud that runs already belongs to somebody: it is used and left running.
    cloud: async onProgress => {
        const ours = Cloud.find() === undefined;
        const cloud = await Cloud.up({ onProgress });
        return ours && !process.env["PULUMI_NFV_KEEP_CLOUD"] ? () => cloud.down({ purge: true }) : undefined;
    },
};

/** Makes what `names` lists, in that order, then runs `work`. Afterwards removes it in the opposite order, also when `work` or a set-up failed. */
export async function withSetUp<T>(
    names: readonly SetUpName[],
    work: () => Promise<T>,
    table: Record<string, SetUp> = setUps,
): Promise<T> {
    const removals: (() => Promise<void>)[] = [];
    try {
        for (const name of names) {
            const remove = await inTurn(() => phase(`set-up: ${name}`, table[name]!)).catch(error => {
                throw new SetUpFailed(name, error);
            });
            if (remove) removals.unshift(remove);
        }
        return await work();
    } finally {
        for (const remove of removals) await remove();
    }
}

let former: Promise<unknown> = Promise.resolve();

/** Levels that run side by side need the same tools, packages and images: the first one makes them. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = former.then(work);
    former = result.catch(() => {});
    return result;
}

/** What a level needs could not be made; none of its tests ran. */
export class SetUpFailed extends Error {
    constructor(name: SetUpName, cause: unknown) {
        super(`set-up "${name}" failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
}
