import type { CertificateExpiry } from "../common/expiry";
import type { EndpointSpec } from "../common/model";
import type { Peer } from "../machine/machine";
import type { ClusterWideInputs, ClusterWideState } from "../objects/cluster-wide";
import type { HooksEndInputs, HooksEndState } from "../operation/hooks/hook-inputs";
import type { EndpointNumberInput } from "../operation/wishes";
import type { ServedInputs } from "../storage/storage-leaves";
import type { NodeExpiries } from "./expiry-of-nodes";

export interface OperationEndSpec {
    clusterId: string;
    /** The wanted endpoint of the API for all nodes. */
    endpoint?: EndpointSpec;
    /** Nodes that must become Ready: name → Kubernetes version, so that an upgrade is awaited, too. */
    nodes: Record<string, string>;
    /**
     * Ids of the machines' servers in the cloud, so that a node that was recreated on another server is awaited again.
     */
    servers?: Record<string, string>;
    /** Ids of the Nodes, which distinguish a replaced one from the former one. */
    nodeIds: Record<string, string>;
    /** With `cni: none` nodes do not become Ready by themselves. @default true */
    waitForNodes?: boolean;
    /** How long to wait for nodes, and then for CoreDNS, in seconds. @default 300 */
    timeoutSeconds?: number;
}

export interface OperationEndInputs
    extends ClusterWideInputs<OperationEndSpec>,
        ServedInputs,
        HooksEndInputs,
        EndpointNumberInput {
    /** All nodes that are not control-plane nodes. */
    workers?: Peer[];
    /** From how many days before its end on a node's certificate is renewed. @default 90 */
    renewBeforeDays?: number;
}

export interface OperationEndState extends OperationEndInputs, ClusterWideState<OperationEndSpec>, HooksEndState {
    /** By node: the certificate that expires first, at the last check. */
    certificates?: NodeExpiries;
    earliestExpiry?: CertificateExpiry;
}
