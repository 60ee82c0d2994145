import * as pulumi from "@pulumi/pulumi";
import { type Args, CloudProvider, type DeepInput } from "../../../provider/adapters/dynamic";
import {
    type CloudProviderInputs,
    type CloudProviderSpec,
    cloudProviderSteps,
} from "../../../provider/cloud-provider/cloud-provider";
import type { KubernetesClusterArgs } from "../../args/args";
import type { CloudProviderArgs } from "../../args/cloud-provider-args";
import { plannedSteps } from "../../preview/planned-steps";
import { endpointOf, keystoneEndpoints } from "./keystone-endpoints";
import { requireOpenstack } from "./openstack-plugin";
import { cloudOf } from "./plan/cloud-args";
import { partsOf, sampleAccess } from "./plan/cloud-provider-plan";

/** What the cluster adds to the cloud's own knowledge. */
export interface CloudProviderRequest {
    clusterName: string;
    clusterId: pulumi.Output<string>;
    fingerprintKey: pulumi.Output<string>;
    controlPlane: Args<CloudProviderInputs>["controlPlane"];
    /** See WishesInput. */
    changeNumber: pulumi.Output<number | undefined>;
    /** Why this run must not act: it leaves out the resource that checks the cluster. */
    problems: pulumi.Output<string | undefined>;
    options: pulumi.CustomResourceOptions;
}

interface OnCloud extends CloudProviderRequest {
    /** Name of the cluster resource. */
    name: string;
    args: KubernetesClusterArgs;
    /** The user's settings. */
    given: CloudProviderArgs;
    /** The cloud is asked nothing before this check. */
    check: pulumi.CustomResource;
    /** Provider of the servers' cloud; undefined: the environment's. */
    provider?: pulumi.ProviderResource;
}

/** OpenStack's own components in the cluster. */
export function cloudProvider(request: OnCloud): CloudProvider {
    const { name, args, given, clusterId, clusterName, controlPlane, fingerprintKey, changeNumber, problems, options } =
        request;
    const spec = {
        clusterId,
        access: accessOf(request),
        ...partsOf(args, given),
    };
    const sample = { clusterId: `${clusterName}-00000000`, access: sampleAccess };
    const whole = spec as DeepInput<CloudProviderSpec>;
    return new CloudProvider(
        name,
        {
            spec: whole,
            controlPlane,
            steps: plannedSteps(cloudProviderSteps, whole, fingerprintKey, sample),
            fingerprintKey,
            changeNumber,
            problems,
        },
        options,
    );
}

/** The input that sets address and region. */
const at = "cloudProvider";

/** The given id and secret, or those of a new application credential with all rights of its maker except making others. */
function accessOf(request: OnCloud): object {
    const { name, args, given, check, provider, clusterName, options } = request;
    const { credentials = {}, caCertificate, authUrl, region } = given;
    const origin = { parent: options.parent, ...(provider && { provider }) };
    const of = () => {
        const { identity } = requireOpenstack();
        const own = new identity.ApplicationCredential(
            `${name}-cloud-provider`,
            {
                description: `Kubernetes cluster ${clusterName}: its cloud controller manager and volumes`,
                unrestricted: false,
                ...(credentials.roles && { roles: credentials.roles }),
            },
            // For the plug-in, a credential with another description is another one.
            { ...origin, dependsOn: [check], ignoreChanges: ["description"] },
        );
        return { id: own.id as pulumi.Input<string>, secret: own.secret as pulumi.Input<string> };
    };
    const { applicationCredentialId: id, applicationCredentialSecret: secret } = credentials;
    const login = id === undefined || secret === undefined ? of() : { id, secret };
    const cloudRegion = region ?? cloudOf(args)?.region;
    const seen =
        authUrl === undefined || cloudRegion === undefined ? keystoneEndpoints(name, check, origin) : undefined;
    return {
        authUrl: authUrl ?? pulumi.all([seen!, cloudRegion]).apply(([all, wanted]) => endpointOf(all, wanted, at).url),
        region: cloudRegion ?? seen!.apply(all => endpointOf(all, undefined, at).region),
        applicationCredentialId: login.id,
        applicationCredentialSecret: pulumi.secret(login.secret),
        ...(caCertificate !== undefined && { caCertificate }),
    };
}
