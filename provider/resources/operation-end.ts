import { spreadCoreDnsScript, waitForNodesScript } from "../network/scripts";
import type { StepFactory } from "../steps";
import { type ClusterWideInputs, type ClusterWideState, clusterWide } from "./cluster-wide";

export interface OperationEndSpec {
    clusterId: string;
    /** Nodes that shall be ready: name → Kubernetes version, so that an upgrade is waited for too. */
    nodes: Record<string, string>;
    /** Ids of the machines' servers in the cloud: a node that was made anew on another server is waited for again. */
    servers?: Record<string, string>;
    /** With `cni: none` nodes never become ready by themselves. @default true */
    waitForNodes?: boolean;
    /** How long nodes and CoreDNS are waited for, each. @default 300 */
    timeoutSeconds?: number;
}

export type OperationEndInputs = ClusterWideInputs<OperationEndSpec>;
export type OperationEndState = ClusterWideState<OperationEndSpec>;

const defaultTimeoutSeconds = 300;

const waitForNodes: StepFactory<OperationEndSpec> = ({
    clusterId,
    nodes,
    servers,
    waitForNodes: wait,
    timeoutSeconds,
}) =>
    wait === false
        ? undefined
        : {
              id: "cluster.nodes-ready",
              title: "wait for the nodes",
              env: {
                  NODES: Object.keys(nodes).sort().join("\n"),
                  SECONDS_TO_WAIT: String(timeoutSeconds ?? defaultTimeoutSeconds),
              },
              identity: { clusterId, nodes, ...(servers && { servers }) },
              run: waitForNodesScript,
              timeoutSeconds: (timeoutSeconds ?? defaultTimeoutSeconds) + 60,
          };

const spreadCoreDns: StepFactory<OperationEndSpec> = ({ clusterId, nodes, waitForNodes: wait, timeoutSeconds }) =>
    wait === false
        ? undefined
        : {
              id: "cluster.coredns",
              title: "spread CoreDNS over the nodes",
              env: { SECONDS_TO_WAIT: String(timeoutSeconds ?? defaultTimeoutSeconds) },
              identity: { clusterId, nodes: Object.keys(nodes).sort() },
              run: spreadCoreDnsScript,
              timeoutSeconds: (timeoutSeconds ?? defaultTimeoutSeconds) + 60,
          };

export const operationEndSteps: StepFactory<OperationEndSpec>[] = [waitForNodes, spreadCoreDns];

/** What concerns the whole cluster once all nodes are there. */
export const operationEnd = clusterWide("operation-end", operationEndSteps);
