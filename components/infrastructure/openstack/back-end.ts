import * as pulumi from "@pulumi/pulumi";
import type { BackEnd } from "../../../provider/openstack/requirements";

const types: Record<BackEnd, string> = { heat: "ClusterOnHeat", nova: "ClusterOnNova" };

/**
 * Parent of the resources that belong to servers of one back end. A change of the back end changes all their URNs: the engine
 * creates the new ones beside the old ones, and deletes the old ones at the end, in the order of a destroy.
 */
export class ClusterOnServers extends pulumi.ComponentResource {
    constructor(backEnd: BackEnd, name: string, parent: pulumi.Resource) {
        super(`pulumi-nfv:index:${types[backEnd]}`, name, {}, { parent });
        this.registerOutputs();
    }
}
