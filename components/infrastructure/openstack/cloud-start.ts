import type * as pulumi from "@pulumi/pulumi";
import { type DeepInput, OperationStart } from "../../../provider/adapters/dynamic";
import type { CloudStartSpec, CommonTarget } from "../../../provider/cloud/cloud-start-inputs";
import { drainOf, poolDrains } from "../../common/drain";
import { healWish } from "../heal-wish";
import type { InfrastructureRequest, ProvisionRequest } from "../infrastructure";
import { removal } from "../removal";
import type { CloudLogin, Site } from "./cloud-login";
import { startNodes } from "./start-nodes";

/** What Kubernetes made in the cloud, when the cluster ends. */
export const endPolicy = ({ cloud }: Site["plan"]) => cloud.leftovers ?? "delete";

/** Runs before the servers are made. */
export function cloudStart(
    { name, args }: InfrastructureRequest,
    site: Site,
    { clusterId, fingerprintKey, compared, kept, record, hooks }: ProvisionRequest,
    { keys, access, ownsKeys }: CloudLogin,
): OperationStart {
    const { plan: cloudPlan, check, cluster, maker, turns } = site;
    const { backEnd, settings, plan } = cloudPlan;
    const ofMaker = maker.start(cloudPlan, { publicKey: keys.publicKey, fingerprintKey });
    const ofPools = poolDrains(args);
    const spec = {
        clusterId,
        clusterName: plan.clusterName,
        backEnd,
        ...compared,
        cloud: settings,
        ...ofMaker.spec,
        ...startNodes(cloudPlan),
        drain: drainOf(args),
        ...(backEnd === "heat" && Object.keys(ofPools).length > 0 && { poolDrains: ofPools }),
        ...removal(args),
        leftovers: endPolicy(cloudPlan),
        protect: plan.deleteProtection,
        ...(plan.storage && { storage: true }),
    };
    return new OperationStart(
        name,
        {
            spec: spec as DeepInput<CloudStartSpec>,
            ssh: access as DeepInput<CommonTarget>,
            keptInputs: kept,
            ...healWish(args),
            ...(turns && { replaceServers: turns.asked }),
            ...ofMaker.inputs,
            ...(ownsKeys && { seed: keys.seed }),
            project: check.project as pulumi.Output<string>,
            region: check.region as pulumi.Output<string>,
            ...(hooks && { hooks: hooks.input, before: hooks.before }),
        },
        { parent: cluster, dependsOn: [check, ...(record ? [record] : [])] },
    );
}
