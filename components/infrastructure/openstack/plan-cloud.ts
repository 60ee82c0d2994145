import * as pulumi from "@pulumi/pulumi";
import type { BackEnd, CloudRequirements } from "../../../provider/openstack/requirements";
import type { CloudSettings } from "../../../provider/openstack/settings";
import type { KubernetesClusterArgs } from "../../args/args";
import type { CloudServersArgs, HeatArgs } from "../../args/infrastructure-args";
import type { StorageServerArgs } from "../../args/storage-args";
import { type OwnTemplate, ownTemplate, templateRequirements, templateWarnings } from "./heat/own-template";
import { backEndOf, cloudOf, stackNameOf } from "./plan/cloud-args";
import { cloudRequirements } from "./plan/cloud-requirements";
import { planServers } from "./plan/plan-servers";
import { planStorage, storageRequirements, withoutNodes } from "./plan/plan-storage";
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
    /** The input that gives the name. @default "clusterName" */
    nameInput?: "serverName";
    /** Heat: the user's template that replaces ours. */
    own?: OwnTemplate;
}

function settingsOf({ cloud, region }: CloudServersArgs): CloudSettings {
    return { ...(cloud !== undefined && { cloud }), ...(region !== undefined && { region }) };
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
        settings: settingsOf(cloud),
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

/** What is decided about a storage server of its own without asking the cloud. */
export function planStorageCloud(name: string, args: StorageServerArgs): CloudPlan {
    const cloud = cloudOf(withoutNodes(args)) ?? {};
    const serverName = args.serverName ?? name;
    const plan = planStorage(args, serverName, { project: pulumi.getProject(), stack: pulumi.getStack() });
    return {
        ...{
            backEnd: "nova" as const,
            cloud,
            settings: settingsOf(cloud),
            plan,
            needs: storageRequirements(plan, args),
        },
        ...{ warnings: [], stackName: serverName, nameInput: "serverName" as const },
    };
}
