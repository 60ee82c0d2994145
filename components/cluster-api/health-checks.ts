import type { Named } from "./machine-template";
import { numberOrShare, type WorkloadSpec } from "./workload-spec";

/** One for the control plane, if wished, and one for all pools: each judges its own machines by its own share. */
export function healthChecks({ name, namespace, healthCheck, pools }: WorkloadSpec): Named[] {
    if (healthCheck === undefined) return [];
    const { notReadySeconds, startupSeconds, maxUnhealthy } = healthCheck;
    const check = (what: string, selector: object, usual: number): Named => ({
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "MachineHealthCheck",
        metadata: { name: `${name}-${what}`, namespace },
        spec: {
            clusterName: name,
            selector,
            checks: {
                nodeStartupTimeoutSeconds: startupSeconds,
                unhealthyNodeConditions: ["Unknown", "False"].map(status => ({
                    type: "Ready",
                    status,
                    timeoutSeconds: notReadySeconds,
                })),
            },
            remediation: {
                triggerIf: { unhealthyLessThanOrEqualTo: numberOrShare(maxUnhealthy ?? usual) },
            },
        },
    });
    const controlPlane = "cluster.x-k8s.io/control-plane";
    return [
        ...(healthCheck.controlPlane ? [check("control-plane", { matchLabels: { [controlPlane]: "" } }, 1)] : []),
        ...(Object.keys(pools).length > 0
            ? [check("pools", { matchExpressions: [{ key: controlPlane, operator: "DoesNotExist" }] }, mostOf(pools))]
            : []),
    ];
}

/** A share of a small pool is less than one machine, so that none would ever be replaced. */
function mostOf(pools: WorkloadSpec["pools"]): number {
    const machines = Object.values(pools).map(({ replicas = 1, autoscale }) => autoscale?.min ?? replicas);
    return Math.max(1, Math.floor(machines.reduce((sum, each) => sum + each, 0) * 0.4));
}
