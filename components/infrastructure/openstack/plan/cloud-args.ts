import type { BackEnd } from "../../../../provider/openstack/requirements";
import type { KubernetesClusterArgs } from "../../../args/args";
import type { CloudServersArgs, HeatArgs } from "../../../args/infrastructure-args";

type Infrastructure = Pick<KubernetesClusterArgs, "infrastructure">;

/** Settings of the cloud, for both back ends. Undefined with `hosts`. */
export function cloudOf({ infrastructure: { heat, nova } }: Infrastructure): CloudServersArgs | undefined {
    return (heat ?? nova) as CloudServersArgs | undefined;
}

export function backEndOf({ infrastructure }: Infrastructure): BackEnd {
    return infrastructure.heat ? "heat" : "nova";
}

/** Name of Heat's stack. */
export function stackNameOf({ infrastructure }: Infrastructure, clusterName: string): string {
    return (infrastructure.heat as HeatArgs | undefined)?.stackName ?? clusterName;
}
