import { placeApiServerFiles } from "../kubeadm/api-server-files";
import { applyControlPlaneChanges, applyKubeletChanges, waitForApiServer } from "../kubeadm/apply-changes";
import { joinCluster } from "../kubeadm/join-cluster";
import { placeKubeadmFiles } from "../kubeadm/kubeadm-files";
import type { Mode } from "../kubeadm/membership";
import { placeKeys } from "../kubeadm/place-keys";
import { setLabels } from "../kubeadm/set-labels";
import { switchVersion } from "../kubeadm/switch-version";
import type { NodeSpec } from "../model";
import type { StepFactory } from "../steps/types";

/** What makes a host a member of its cluster, in order. `mode` says how it gets in; the fingerprints do not depend on it. */
export const nodeSteps = (mode: Mode): StepFactory<NodeSpec>[] => [
    switchVersion,
    placeKeys, // masters only
    placeApiServerFiles, // masters only
    placeKubeadmFiles,
    joinCluster(mode),
    waitForApiServer, // masters only
    applyControlPlaneChanges, // masters only; nothing to do right after the join
    applyKubeletChanges, // nothing to do right after the join
    setLabels,
];
