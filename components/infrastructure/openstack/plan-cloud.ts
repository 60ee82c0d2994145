import * as pulumi from "@pulumi/pulumi";
import type { BackEnd, CloudRequirements } from "../../../provider/openstack/requirements";
import type { CloudSettings } from "../../../provider/openstack/settings";
import type { KubernetesClusterArgs } from "../../args";
import type { HeatArgs } from "../../infrastructure-args";
import { type OwnTemplate, ownTemplate, templateRequirements, templateWarnings } from "./heat/own-template";
import { backEndOf, cloudOf, stackNameOf } from "./plan/cloud-args";
import { cloudRequirements } from "./plan/cloud-requirements";
import { planServers } from "./plan/plan-servers";
import type { ServerPlan } from "./plan/server-plan";

/** What is decided about a cluster on a cloud without asking the cloud. */
export interface CloudPlan {
    backEnd: BackEnd;
    /** The user's settings of the cloud. With Nova, the settings that only Heat has are missing. */
    cloud: HeatArgs;
    /** Which cloud it is. */
    settings: CloudSettings;
    plan: ServerPlan;
    needs: CloudRequirements;
    /** Warnings for the user before anything is made. */
    warnings: string[];
    /** Name of Heat's stack. */
    stackName: string;
    /** Heat: the user's template that replaces ours. */
    own?: OwnTemplate;
}

/** The same condition as in cloud-provider.ts. */
function makesCredential({ cloudProvider }: KubernetesClusterArgs): boolean {
    const { applicationCredentialId, applicationCredentialSecret } = cloudProvider?.credentials ?? {};
    return cloudProvider !== undefined && [applicationCredentialId, applicationCredentialSecret].includes(undefined);
}

/** Reads only the user's own template, if there is one. @throws INVALID_INPUT if the template cannot be used */
export function planCloud(name: string, args: KubernetesClusterArgs): CloudPlan {
    const plain = args;
    const cloud: HeatArgs = cloudOf(plain) ?? {};
    const backEnd = backEndOf(plain);
    const ours = planServers(plain, name, { project: pulumi.getProject(), stack: pulumi.getStack() });
    const own = ownTemplate(args, ours);
    return {
        backEnd,
        cloud,
        settings: {
            ...(cloud.cloud !== undefined && { cloud: cloud.cloud }),
            ...(cloud.region !== undefined && { region: cloud.region }),
        },
        plan: own?.plan ?? ours,
        needs: {
            ...(own ? templateRequirements(own, args) : cloudRequirements(ours, backEnd, plain)),
            ...(makesCredential(args) && { credentialMade: true }),
        },
        warnings: own ? templateWarnings(own, args) : [],
        stackName: stackNameOf(plain, ours.clusterName),
        ...(own && { own }),
    };
}
