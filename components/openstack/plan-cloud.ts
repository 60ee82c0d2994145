import * as pulumi from "@pulumi/pulumi";
import type { BackEnd, CloudNeeds } from "../../provider/openstack/needs";
import type { CloudSettings } from "../../provider/openstack/settings";
import type { KubernetesClusterArgs } from "../args";
import type { HeatArgs } from "../infrastructure-args";
import type { PlainArgs } from "../topology";
import { backEndOf, cloudOf, stackNameOf } from "./cloud-args";
import { cloudNeeds } from "./cloud-needs";
import { type OwnTemplate, ownTemplate, templateNeeds, templateWarnings } from "./own-template";
import { planServers } from "./plan-servers";
import type { ServerPlan } from "./server-plan";

/** A cluster on a cloud as far as it is decided without the cloud: before anything is asked or made. */
export interface CloudPlan {
    backEnd: BackEnd;
    /** What the user says of the cloud. With Nova nothing that is Heat's alone is in it. */
    cloud: HeatArgs;
    /** Which cloud it is. */
    settings: CloudSettings;
    plan: ServerPlan;
    needs: CloudNeeds;
    /** What the user should know before anything is made. */
    warnings: string[];
    /** Heat. */
    stackName: string;
    /** Heat: a template of the user's in place of ours. */
    own?: OwnTemplate;
}

/** As cloud-provider.ts does it. */
function makesCredential({ cloudProvider }: KubernetesClusterArgs): boolean {
    const { applicationCredentialId, applicationCredentialSecret } = cloudProvider?.credentials ?? {};
    return cloudProvider !== undefined && [applicationCredentialId, applicationCredentialSecret].includes(undefined);
}

/** Reads nothing but the user's own template, if there is one. @throws INVALID_INPUT for a template that cannot be used */
export function planCloud(name: string, args: KubernetesClusterArgs): CloudPlan {
    const plain = args as PlainArgs;
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
            ...(own ? templateNeeds(own, args) : cloudNeeds(ours, backEnd, plain)),
            ...(makesCredential(args) && { credentialMade: true }),
        },
        warnings: own ? templateWarnings(own, args) : [],
        stackName: stackNameOf(plain, ours.clusterName),
        ...(own && { own }),
    };
}
