import type { NodeSpec, Role } from "../common/model";
import { plan, type Step } from "../steps";
import type { KnownStep } from "../steps/types";
import { type Membership, placeApiServerFilesBy } from "./join/api-server-files";
import { applyControlPlaneChanges, applyKubeletChanges, waitForApiServer } from "./join/apply-changes";
import { type HowToJoin, joinCluster } from "./join/join-cluster";
import { placeKubeadmFiles } from "./join/kubeadm-files";
import { placeKeysBy } from "./join/place-keys";
import type { NodeInputs } from "./node-state";
import { renewCertificates } from "./renew-certificates";
import { setLabels } from "./set-labels";
import { switchVersion } from "./upgrade/switch-version";

/**
 * The steps that make a host a member of its cluster, in order. `membership` says how it joins, or that it is a member; `how` with which restore an
 * init begins. The fingerprints do not depend on them.
 */
export const nodeSteps = (membership: Membership, how?: HowToJoin): KnownStep<NodeSpec>[] => [
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

/** The steps of a Node. Their fingerprints are the same for init and join. */
export function planOf(inputs: NodeInputs, membership: Membership, proven = false): Step[] {
    const how = { proven, ...(inputs.ontoNew !== undefined && { seed: inputs.ontoNew }) };
    return plan(nodeSteps(membership, how), inputs.spec, inputs.fingerprintKey);
}

/** Ids of steps that a Node has done again, or done alone. */
export const labelsStep = setLabels.row.id;
export const versionStep = switchVersion.row.id;

/** Ids of all steps that a node of this role may have. */
export function nodeStepIds(role: Role): string[] {
    const rows = nodeSteps("member").map(({ row }) => row);
    return rows.filter(({ only = role }) => only === role).map(({ id }) => id);
}
