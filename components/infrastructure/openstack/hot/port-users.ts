import { asCall } from "./functions";
import { placeText, templateError } from "./places";
import { rewrite } from "./rewrite";
import { type Member, type Scope, singles } from "./scope";
import type { Value } from "./types";

type Single = Extract<Member, { kind: "single" }>;

/**
 * Refuses a server's port as virtual address: keepalived would take over the server's own address, and the API would be lost with that
 * server.
 */
export function checkVirtualPort(port: Single, scope: Scope): void {
    const server = port.type === "OS::Nova::Server" ? port : serverWith(port, scope);
    if (!server) return;
    const what = server === port ? "a server" : `a port of the server ${server.name}`;
    throw templateError(
        placeText(port.resource.source),
        `${port.name} is ${what}: it cannot hold the API's virtual address`,
        "Name a port that no server uses. A single master without a virtual address is its own endpoint; " +
            "the address of a load balancer belongs to controlPlane.endpoint.external.",
    );
}

/** The server that uses the port: in its networks, or by the port's device. */
function serverWith(port: Single, scope: Scope): Single | undefined {
    const servers = [...scope.members.values()]
        .flatMap(member => singles(member))
        .map(({ member }) => member)
        .filter(({ type }) => type === "OS::Nova::Server");
    const device = port.resource.properties.device_id;
    const owner = device === undefined ? undefined : rewrite(device, port.scope);
    return servers.find(
        server =>
            refersTo(rewrite(server.resource.properties.networks ?? [], server.scope), port.name) ||
            (owner !== undefined && refersTo(owner, server.name)),
    );
}

/** Whether a value of the flat template contains `get_resource` of this resource. */
function refersTo(value: Value, name: string): boolean {
    if (value === null || typeof value !== "object") return false;
    const call = asCall(value);
    if (call?.name === "get_resource" && call.argument === name) return true;
    return Object.values(value).some(item => refersTo(item, name));
}
