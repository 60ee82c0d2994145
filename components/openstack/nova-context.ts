import type * as openstack from "@pulumi/openstack";
import * as pulumi from "@pulumi/pulumi";
import { ownerTags } from "../../provider/openstack/needs";
import { requireOpenstack } from "./openstack-plugin";
import type { ServerPlan } from "./server-plan";
import type { ServersRequest } from "./servers";

/** What all parts of the cluster's servers are made with. */
export interface NovaContext {
    openstack: typeof openstack;
    plan: ServerPlan;
    /** Pulumi's name of a part: the cluster's, and the part's key. */
    name(key?: string): string;
    /** Options of every resource; `more` wins, but what is waited for adds up. */
    options(more?: pulumi.CustomResourceOptions & { dependsOn?: pulumi.Resource[] }): pulumi.CustomResourceOptions;
    /** Of what holds data or bears it. */
    protect: boolean;
    tags: string[];
    /** Asks the cloud, but not before it was checked: the checks say better, and all at once, what is wrong. */
    ask<T>(question: (options: pulumi.InvokeOptions) => Promise<T>): pulumi.Output<T>;
}

export function novaContext(request: ServersRequest): NovaContext {
    const { plan, parent, provider, dependsOn } = request;
    const origin = { parent, ...(provider && { provider }) };
    // Ids, not the resources: an id is unknown until the check has run.
    const checked = pulumi.all(dependsOn.map(resource => (resource as pulumi.CustomResource).id ?? resource.urn));
    return {
        openstack: requireOpenstack(),
        plan,
        name: key => (key === undefined ? request.name : `${request.name}-${key}`),
        options: ({ dependsOn: also = [], ...more } = {}) => ({
            ...origin,
            dependsOn: [...dependsOn, ...also],
            ...more,
        }),
        protect: plan.deleteProtection,
        tags: ownerTags(plan.metadata),
        ask: question => checked.apply(() => question(origin)),
    };
}
