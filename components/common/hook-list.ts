import type { HookEvent } from "../../provider/operation/hooks/events";
import { hashOfHook } from "../../provider/operation/hooks/hash";
import type { HookKind, HookSpec, NodeSelection, TackerHook } from "../../provider/operation/hooks/hook-spec";
import type { HookArgs } from "../args/hook-args";

/** A HookSpec whose parameters may contain outputs. */
export type GivenHook = Omit<HookSpec, "parameters" | "tacker"> & Pick<HookArgs, "parameters"> & { tacker?: object };

/** The hooks as the provider gets them. Reads their files: another content is another hook. */
export function hookList(hooks: readonly HookArgs[]): GivenHook[] {
    return hooks.map(({ name, events, nodes, action, parameters, timeoutSeconds = 600, retries = 0, ...ways }) => {
        const [kind, files] = wayOf(ways);
        const { package: _, ...tacker } = ways.tacker ?? {};
        return {
            ...{ name, kind, files, timeoutSeconds, retries },
            hash: hashOfHook({ files, ...(ways.tacker && { tacker: ways.tacker as TackerHook }) }, process.cwd()),
            ...(events && { events: events as HookEvent[] }),
            ...(nodes && { nodes: nodes as NodeSelection }),
            ...(action !== undefined && { action: action as HookSpec["action"] }),
            ...(parameters && { parameters }),
            ...(Object.keys(tacker).length > 0 && { tacker }),
        };
    });
}

function wayOf({ module, script, manifests, tacker }: Partial<HookArgs>): [HookKind, string[]] {
    if (module !== undefined) return ["module", [module]];
    if (script !== undefined) return ["script", [script]];
    if (manifests !== undefined) return ["manifests", manifests];
    return ["tacker", [tacker!.package]];
}
