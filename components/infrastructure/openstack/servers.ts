import type * as pulumi from "@pulumi/pulumi";
import type { DeepInput, ProjectGuard } from "../../../provider/adapters/dynamic";
import type { ServersOwner } from "../../../provider/cloud/orphans/orphan-servers";
import type { GivenNames } from "../../../provider/openstack/given-names";
import type { ServerPlan } from "./plan/server-plan";

/** What both back ends get besides the plan. */
export interface ServersRequest {
    /** Name of the cluster resource; created resources are named `<name>-<key>`. */
    name: string;
    plan: ServerPlan;
    /** Our public key in OpenSSH form; unused with an existing key pair. */
    publicKey: pulumi.Input<string>;
    /** cloud-init user data by server name, including the jump server's. Secret, because it contains host keys. */
    userData: Record<string, pulumi.Input<string>>;
    /** Ids that the checks found for the plan's names. */
    names?: pulumi.Input<GivenNames>;
    /** For keyed hashes of what the servers are made of. Secret. */
    fingerprintKey: pulumi.Output<string>;
    /** What the cluster's checks compare later programs with. */
    kept: pulumi.Output<string>;
    /** What every resource waits for: the checks, and the resource that drains the removed nodes. */
    dependsOn: pulumi.Resource[];
    /** What is deleted after a node's server. Undefined: nothing. */
    endOf?: ((node: string) => pulumi.Resource) | undefined;
    /**
     * Makes the resource that deletes what Kubernetes made in the cloud. It is deleted before what it depends on, and
     * should be deleted after the servers.
     */
    leftovers: (dependsOn: pulumi.Resource[]) => pulumi.Resource;
    /** Cluster and project of the servers. */
    place: ConstructorParameters<typeof ProjectGuard>[1];
    parent: pulumi.Resource;
    /** The servers' owner, and how they are reached. */
    owner: DeepInput<ServersOwner>;
    /** The openstack provider; undefined: the environment's. */
    provider?: pulumi.ProviderResource;
}

/** Result of a back end, the same for both. */
export interface Servers {
    /** By node name. */
    servers: Record<string, Server>;
    /** The API's virtual address, in the cluster's network. */
    vip?: { address: pulumi.Output<string>; prefixLength: pulumi.Output<number>; floatingIp?: pulumi.Output<string> };
    /** Floating IP of the jump server. */
    jumpAddress?: pulumi.Output<string>;
    /** Servers that are single resources. */
    singleServers: pulumi.Resource[];
    /** Where the storage server joins the nodes, if the plan has one. */
    place?: ServerPlace;
    /** What lets connections through and is a single resource: without an order a destroy would delete it while they are still needed. */
    way?: pulumi.Resource[];
}

/** The network that the nodes share. */
export interface SharedNetwork {
    networkId: pulumi.Input<string>;
    subnetId: pulumi.Input<string>;
    /** The external route, for which servers and floating IPs wait. */
    route: pulumi.Resource[];
    /** Network of the floating IPs, if it is not the plan's. */
    externalNetworkId?: pulumi.Input<string>;
}

/** Where a server that is no node joins the nodes. */
export interface ServerPlace {
    network: SharedNetwork;
    /** Ids. None: the nodes' ports have no port security. */
    securityGroups: pulumi.Input<string>[] | pulumi.Output<string[]>;
    /** Ports that are created before all others. */
    reserved: pulumi.Resource[];
    /** What servers wait for. */
    before: pulumi.Resource[];
}

/** The server that serves volumes. */
export interface StorageServerMade extends Pick<Server, "address" | "floatingIp" | "volumes"> {
    id: pulumi.Output<string>;
    server: pulumi.Resource;
    /** What brings volumes to the server. */
    attachments: pulumi.Resource[];
}

export interface Server {
    /** Address in the cluster's network. */
    address: pulumi.Output<string>;
    floatingIp?: pulumi.Output<string>;
    /** Id of the server in Nova; another id is another machine. Undefined at preview with Heat, while a stack's outputs are not known. */
    id: pulumi.Output<string | undefined>;
    /** The deletion of this resource deletes the server. */
    deletedWith: pulumi.Resource;
    /** The same, if it never deletes a single server: a server that goes alone may be a member that a killed run has not recorded. */
    hostGoesWith?: pulumi.Resource;
    /** Parts of the server that must be there as long as a node is on it. */
    usedByNode?: pulumi.Resource[];
    /** Ids of its further volumes by key. */
    volumes: Record<string, pulumi.Output<string>>;
}
