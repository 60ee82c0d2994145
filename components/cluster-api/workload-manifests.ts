import { tenantPolicies } from "../../provider/admission/tenants";
import { networkManifest } from "../../provider/network/manifests";
import { workloadDefaults } from "../args/workload-defaults";
import type { WorkloadInputs } from "../args/workload-inputs";
import { manifestTexts } from "../cnf/manifest-texts";
import { defaults } from "../common/plain-args";
import { partsOf } from "./manifest-parts";

/** kubectl of an image with kubeadm: `bridge` borrows it. */
const kubectlPath = "/usr/bin/kubectl";

/** What the cluster's own API gets, by the part's name: its pod network, what holds tenants back, and add-ons. @throws Error that says what is wrong with a file */
export function workloadManifests({
    version,
    network = {},
    tenants = {},
    addOns = [],
}: WorkloadInputs): Record<string, string> {
    const { cni, podCidr } = { ...workloadDefaults.network, ...network };
    const pods = networkManifest({
        cni: cni as "bridge",
        podCidr,
        kubectlPath: network.kubectlPath ?? kubectlPath,
        manifests: manifestTexts("network.cniManifests", network.cniManifests ?? []),
        ...(network.image !== undefined && { image: network.image }),
    });
    const policies = tenantPolicies({
        externalIps: tenants.externalIps ?? [],
        nfsServers: tenants.nfsServers ?? [],
        reserved: [],
        storageServers: [],
        controlPlaneTaints: tenants.controlPlaneNodes ? [] : defaults.controlPlaneTaints,
    });
    return {
        ...(pods !== "" && partsOf("network", pods)),
        ...(hasPolicies(version) && partsOf("tenants", policies)),
        ...addOnManifests(addOns),
    };
}

/** Its API serves ValidatingAdmissionPolicies. */
const hasPolicies = (version = "") => Number(/^v?1\.(\d+)/.exec(version)?.[1]) >= 30;

/** The add-ons alone. @throws Error that says what is wrong with a file */
export function addOnManifests(addOns: readonly string[] = []): Record<string, string> {
    return Object.assign({}, ...manifestTexts("addOns", addOns).map((text, i) => partsOf(`add-on-${i + 1}`, text)));
}
