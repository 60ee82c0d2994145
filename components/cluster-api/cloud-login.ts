import * as pulumi from "@pulumi/pulumi";
import { toYaml } from "../../provider/common/to-yaml";
import type { WorkloadApplicationCredentialArgs } from "../args/workload-credential-args";
import { endpointOf, keystoneEndpoints } from "../infrastructure/openstack/keystone-endpoints";
import { requireOpenstack } from "../infrastructure/openstack/openstack-plugin";
import type { WorkloadSpec } from "./workload-spec";

/** The text of clouds.yaml that goes into our Secret; undefined: others have made it. */
export function cloudLogin(parent: pulumi.Resource, spec: WorkloadSpec): pulumi.Input<string> | undefined {
    const { cloudsYaml, applicationCredential } = spec.openstack.identity;
    return applicationCredential === undefined ? cloudsYaml : ownLogin(parent, spec, applicationCredential);
}

/** Where address and region may be set. */
const at = "openstack.identity.applicationCredential";

/**
 * Login by an application credential of the cluster's own. Pulumi makes the next one first, then changes the Secret, which depends on it, and
 * deletes the former one at the end of the run.
 */
function ownLogin(
    parent: pulumi.Resource,
    { name, identity }: WorkloadSpec,
    { roles, accessRules, rotate, authUrl }: WorkloadApplicationCredentialArgs,
): pulumi.Output<string> {
    const { ApplicationCredential } = requireOpenstack().identity;
    const credential = new ApplicationCredential(
        `${name}-cluster-api`,
        {
            // For Keystone, a credential with another description is another one.
            description: `Cluster API: workload cluster ${name}${rotate === undefined ? "" : ` (${rotate})`}`,
            unrestricted: false,
            roles: roles ?? ["member"],
            ...(accessRules && { accessRules }),
        },
        { parent },
    );
    // "": the user's login names none.
    const region = credential.region.apply(known => identity.region ?? (known || undefined));
    const url =
        authUrl ??
        pulumi
            .all([keystoneEndpoints(name, credential, { parent }), region])
            .apply(([all, wanted]) => endpointOf(all, wanted, at).url);
    return pulumi.secret(
        pulumi.all([credential.id, credential.secret, url, region]).apply(([id, secret, auth_url, region_name]) =>
            toYaml({
                clouds: {
                    [identity.cloudName]: {
                        auth_type: "v3applicationcredential",
                        auth: { auth_url, application_credential_id: id, application_credential_secret: secret },
                        ...(region_name !== undefined && { region_name }),
                        interface: "public",
                        identity_api_version: 3,
                    },
                },
            }),
        ),
    );
}
