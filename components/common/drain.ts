import type { NodeSpec } from "../../provider/common/model";
import type { KubernetesClusterArgs } from "../args/args";
import { defaults } from "./plain-args";

type Drain = NodeSpec["drain"];

/** How pods leave a node of this pool; without a pool: a control-plane node. */
export function drainOf({ drain, pools }: Pick<KubernetesClusterArgs, "drain" | "pools">, pool?: string): Drain {
    const own = pool === undefined ? undefined : pools?.[pool]?.drain;
    return {
        timeoutSeconds: own?.timeoutSeconds ?? drain?.timeoutSeconds ?? defaults.drainTimeoutSeconds,
        policy: own?.policy ?? drain?.policy ?? defaults.drainPolicy,
    };
}

/** By pool, for those that have their own. */
export function poolDrains(args: Pick<KubernetesClusterArgs, "drain" | "pools">): Record<string, Drain> {
    const own = Object.keys(args.pools ?? {}).filter(pool => args.pools![pool]!.drain !== undefined);
    return Object.fromEntries(own.map(pool => [pool, drainOf(args, pool)]));
}
