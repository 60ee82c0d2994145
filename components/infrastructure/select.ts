import type { InfrastructureArgs } from "../args/args";
import type { Infrastructure, InfrastructureFactory, InfrastructureRequest } from "./infrastructure";

/** By input. Loaded at the first use: existing machines need no code of a cloud. */
const factories: Record<keyof InfrastructureArgs, () => InfrastructureFactory> = {
    hosts: () => (require("./hosts/hosts") as typeof import("./hosts/hosts")).hosts,
    heat: () => (require("./openstack/heat/heat") as typeof import("./openstack/heat/heat")).heat,
    nova: () => (require("./openstack/nova/nova") as typeof import("./openstack/nova/nova")).nova,
};

/** The infrastructure that the arguments name: validation has proven that they name exactly one. */
export function infrastructureOf(request: InfrastructureRequest): Infrastructure {
    const { infrastructure } = request.args;
    const kinds = Object.keys(factories) as (keyof InfrastructureArgs)[];
    return factories[kinds.find(kind => infrastructure[kind])!]()(request);
}
