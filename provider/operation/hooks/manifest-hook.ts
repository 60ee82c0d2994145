import { resolve } from "node:path";
import { NfvError } from "../../common/errors";
import { readGivenFile } from "../../common/given-file";
import { type KubeObject, NotYet, settle } from "../../vim";
import { objectsInYaml } from "../../vim/manifests";
import { pathOf, servedKinds } from "../../vim/ownership";
import type { HookResult } from "./contract";
import type { HookSpec } from "./hook-spec";
import type { HookTools } from "./tools";

/** The objects of a hook's manifests, in order. @throws INVALID_INPUT */
export function objectsOf({ name, files }: HookSpec, folder: string): KubeObject[] {
    return files.flatMap(file => {
        try {
            const text = readGivenFile(resolve(folder, file), file);
            return objectsInYaml(file, text).map(({ object }) => named(file, object));
        } catch (error) {
            throw new NfvError({ code: "INVALID_INPUT", cause: `hook ${name}: ${(error as Error).message}` });
        }
    });
}

function named(file: string, object: unknown): KubeObject {
    const { apiVersion, kind, metadata } = (object ?? {}) as Partial<KubeObject>;
    if ([apiVersion, kind, metadata?.name].every(each => typeof each === "string")) return object as KubeObject;
    throw new Error(`${file}: an object has no apiVersion, kind or metadata.name`);
}

/** How long a kind may take until the cluster serves it: its definition may be applied just before. */
const servedSeconds = 60;

/** Applies the objects in their order, or deletes them in the reverse one. */
export async function runManifests(hook: HookSpec, tools: HookTools): Promise<HookResult> {
    const { api } = tools;
    if (api === undefined)
        throw new NfvError({ code: "HOOK_FAILED", cause: "there is no cluster whose API could be asked" });
    const objects = objectsOf(hook, tools.folder);
    const isDelete = hook.action === "delete";
    for (const object of isDelete ? [...objects].reverse() : objects) {
        const { apiVersion, kind, metadata } = object;
        tools.signal.throwIfAborted();
        tools.report(`${isDelete ? "delete" : "apply"} ${kind} ${metadata.name}`);
        await settle(servedSeconds, async () => {
            const served = (await servedKinds(api, apiVersion))?.find(each => each.kind === kind);
            if (served === undefined) {
                // What the cluster does not know, it does not have.
                if (isDelete) return;
                // A retry must not run beside this wait.
                tools.signal.throwIfAborted();
                throw new NotYet({ code: "HOOK_FAILED", cause: `the cluster does not serve ${kind} of ${apiVersion}` });
            }
            const path = pathOf({ apiVersion, kind, namespace: metadata.namespace, name: metadata.name }, served);
            if (isDelete) await api.delete(path);
            else await api.apply(path, object);
        });
    }
    return {};
}
