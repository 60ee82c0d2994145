import type * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../provider/dynamic";
import type { GivenNames } from "../../provider/openstack/given-names";
import type { ServersOwner } from "../../provider/resources/orphan-servers";
import type { NovaHooks } from "./nova-hooks";
import type { ServerPlan } from "./server-plan";

/** What both back ends get beside the plan. */
export interface ServersRequest {
    /** Name of the cluster resource: what is made is called `<name>-<key>`. */
    name: string;
    plan: ServerPlan;
    /** Our public key in OpenSSH form; unused where the key pair is given. */
    publicKey: pulumi.Input<string>;
    /** cloud-init user data by server name; the jump server's under its own. Secret: host keys are in it. */
    userData: Record<string, pulumi.Input<string>>;
    /** Ids of what the plan names, as the checks found them. */
    names?: pulumi.Input<GivenNames>;
    /** What everything waits for: the checks, and who drains the nodes that leave. */
    dependsOn: pulumi.Resource[];
    parent: pulumi.Resource;
    /** Whose servers they are, and how they are reached. */
    owner: DeepInput<ServersOwner>;
    /** Nova: what is looked at before servers are made. */
    hooks?: NovaHooks;
    /** The openstack provider; the environment's otherwise. */
    provider?: pulumi.ProviderResource;
}

/** What both back ends give: the same for each. */
export interface Servers {
    /** By node name. */
    servers: Record<string, Server>;
    /** The API's virtual address, in the cluster's network. */
    vip?: { address: pulumi.Output<string>; prefixLength: pulumi.Output<number>; floatingIp?: pulumi.Output<string> };
    /** Floating IP of the jump server. */
    jumpAddress?: pulumi.Output<string>;
}

export interface Server {
    /** In the cluster's network. */
    address: pulumi.Output<string>;
    floatingIp?: pulumi.Output<string>;
    /** Of the server in Nova. Another id is another machine. With Heat undefined at preview, where a stack's outputs are yet to come. */
    id: pulumi.Output<string | undefined>;
    /** The deletion of this resource deletes the server. */
    deletedWith: pulumi.Resource;
    /** Ids of its further volumes by key. */
    volumes: Record<string, pulumi.Output<string>>;
}
