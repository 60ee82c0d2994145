import * as pulumi from "@pulumi/pulumi";
import type { BackEnd } from "../../provider/openstack/needs";

const types: Record<BackEnd, string> = { heat: "ClusterOnHeat", nova: "ClusterOnNova" };

/**
 * Parent of what lives and dies with servers of one back end. With another back end all of it are other resources, by their URNs: so
 * the engine makes them beside those that there are, and deletes these at the end, in the order of a destroy.
 */
export class ClusterOnServers extends pulumi.ComponentResource {
    constructor(backEnd: BackEnd, name: string, parent: pulumi.Resource) {
        super(`pulumi-nfv:index:${types[backEnd]}`, name, {}, { parent });
        this.registerOutputs();
    }
}
