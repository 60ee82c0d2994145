import type * as pulumi from "@pulumi/pulumi";
import { CloudLeftovers, type DeepInput, type OperationStart } from "../../../provider/adapters/dynamic";
import type { ServersOwner } from "../../../provider/cloud/orphans/orphan-servers";
import { hostKeyOf } from "../../../provider/openstack/host-key";
import { ownerTag } from "../../../provider/openstack/requirements";
import type { InfrastructureRequest, ProvisionRequest } from "../infrastructure";
import type { CloudLogin, Site } from "./cloud-login";
import { endPolicy } from "./cloud-start";
import { requireOpenstack } from "./openstack-plugin";
import { ownerOf, serverUserData } from "./server-access";
import type { ServersRequest } from "./servers";

/** Cluster and project of what is made in the cloud. */
export const placeOf = ({ plan: { plan, settings }, check }: Site) => ({
    clusterName: plan.clusterName,
    cloud: settings,
    project: check.project as pulumi.Output<string>,
    region: check.region as pulumi.Output<string>,
});

/** What is asked of the back end. */
export function serversRequest(
    { name, parent }: InfrastructureRequest,
    site: Site,
    { clusterId, fingerprintKey, kept, hooks }: ProvisionRequest,
    { login, start }: { login: CloudLogin; start: OperationStart },
): ServersRequest {
    const { check, cluster } = site;
    const { settings, plan } = site.plan;
    const place = placeOf(site);
    const policy = endPolicy(site.plan);
    const provider =
        Object.keys(settings).length === 0 ? undefined : new (requireOpenstack().Provider)(name, settings, { parent });
    return {
        ...{ name, plan, kept, place, fingerprintKey },
        publicKey: login.keys.publicKey,
        userData: userDataOf(site, login),
        names: check.names,
        owner: serversOwner(site, clusterId, login),
        dependsOn: [check, start],
        endOf: hooks?.endOf,
        leftovers: dependsOn =>
            new CloudLeftovers(name, { ...place, clusterId, policy }, { parent: cluster, dependsOn }),
        parent: cluster,
        ...(provider && { provider }),
    };
}

function serversOwner(
    { plan: { cloud, settings, plan }, check }: Site,
    clusterId: pulumi.Output<string>,
    { keys, access, ownsKeys }: CloudLogin,
): DeepInput<ServersOwner> {
    const jump = plan.jumpServer?.name;
    return {
        ...{ clusterId, cloud: settings, project: check.project, region: check.region },
        mark: { ...plan.metadata, [ownerTag]: keys.publicKey.apply(ownerOf) },
        ssh: access,
        ...(ownsKeys && { seed: keys.seed }),
        ...(jump !== undefined && { jump }),
        ...(cloud.bootTimeoutSeconds !== undefined && { bootTimeoutSeconds: cloud.bootTimeoutSeconds }),
    } as DeepInput<ServersOwner>;
}

/** By server. */
function userDataOf({ plan: { cloud, plan } }: Site, { keys, login }: CloudLogin) {
    const helpers = [plan.jumpServer, plan.storage].filter(server => server !== undefined);
    const booted = [...plan.servers, ...helpers.map(server => ({ name: server.name, userData: undefined }))];
    return Object.fromEntries(
        booted.map(server => {
            const hostKey = keys.seed.apply(seed => hostKeyOf(seed, server.name));
            return [server.name, serverUserData(server, cloud, { hostKey, publicKey: login.publicKey })];
        }),
    );
}
