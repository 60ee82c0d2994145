import { type Membership, placeApiServerFilesBy } from "../kubeadm/api-server-files";
import { applyControlPlaneChanges, applyKubeletChanges, waitForApiServer } from "../kubeadm/apply-changes";
import { type HowToJoin, joinCluster } from "../kubeadm/join-cluster";
import { placeKubeadmFiles } from "../kubeadm/kubeadm-files";
import { placeKeysBy } from "../kubeadm/place-keys";
import { renewCertificates } from "../kubeadm/renew-certificates";
import { setLabels } from "../kubeadm/set-labels";
import { switchVersion } from "../kubeadm/switch-version";
import type { NodeSpec, Role } from "../model";
import type { StepFactory } from "../steps/types";

/**
 * The steps that make a host a member of its cluster, in order. `membership` says how it joins, or that it is a member; `how` with which restore an
 * init begins. The fingerprints do not depend on them.
 */
export const nodeSteps = (membership: Membership, how?: HowToJoin): StepFactory<NodeSpec>[] => [
    switchVersion,
    placeKeysBy(membership), // control-plane nodes only
    placeApiServerFilesBy(membership), // control-plane nodes only
    placeKubeadmFiles,
    joinCluster(membership === "member" ? "join" : membership, how),
    renewCertificates, // nothing to do right after the join
    waitForApiServer, // control-plane nodes only
    applyControlPlaneChanges, // control-plane nodes only; nothing to do right after the join
    applyKubeletChanges, // nothing to do right after the join
    setLabels,
];

/** Ids of all steps that a node of this role may have. */
export function nodeStepIds(role: Role): string[] {
    return role === "controlPlane" ? [...idsOfAll, ...idsOfControlPlane] : idsOfAll;
}

const idsOfAll = [
    "node.kubernetes-version",
    "node.kubeadm-files",
    "cluster.join",
    "node.certificates",
    "node.kubelet-settings",
    "node.labels",
];
const idsOfControlPlane = [
    "node.keys",
    "node.api-server-files",
    "node.api-server-ready",
    "node.control-plane-settings",
];
