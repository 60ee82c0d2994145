import type { NodeSpec } from "../model";
import type { StepFactory } from "../steps/types";
import { placeApiServerFiles } from "./api-server-files";
import { applyControlPlaneChanges, applyKubeletChanges, waitForApiServer } from "./apply-changes";
import { joinCluster } from "./join-cluster";
import { placeKubeadmFiles } from "./kubeadm-files";
import type { Mode } from "./membership";
import { placeKeys } from "./place-keys";
import { setLabels } from "./set-labels";
import { switchVersion } from "./switch-version";

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
