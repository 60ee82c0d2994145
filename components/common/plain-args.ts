import type * as pulumi from "@pulumi/pulumi";
import type { Taint } from "../../provider/common/model";
import type { KubernetesClusterArgs } from "../args/args";

/** The arguments as validation sees them: what is known, with all inputs resolved. */
export type PlainArgs = pulumi.Unwrap<KubernetesClusterArgs>;

/** What inputs are that are not given. */
export const defaults = {
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
    dnsDomain: "cluster.local",
    imageRepository: "registry.k8s.io",
    drainTimeoutSeconds: 300,
    drainPolicy: "fail",
    controlPlaneTaints: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] as Taint[],
    poolLabel: "pulumi-nfv.dev/pool",
} as const;

export function cniOf(args: Pick<KubernetesClusterArgs, "kubernetes" | "network">): string {
    const packages = args.kubernetes.source?.apt ?? args.kubernetes.source?.dnf;
    return args.network?.cni ?? (packages ? "flannel" : "bridge");
}
