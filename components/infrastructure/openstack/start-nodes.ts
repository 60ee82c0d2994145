import type { CloudStartSpec, StartNode } from "../../../provider/cloud/cloud-start-inputs";
import type { BackEnd } from "../../../provider/openstack/requirements";
import { heatServer, jumpNames, serverPart } from "./heat/heat-server";
import { templateNodes } from "./heat/own-template";
import { keptResources } from "./hot";
import type { PortPlan, ServerPlan, ServerPlanEntry } from "./plan/server-plan";
import type { CloudPlan } from "./plan-cloud";

type StartNodes = Pick<CloudStartSpec, "nodes" | "stackName" | "jump" | "kept">;

/** The nodes as OperationStart needs them: what they are made of and, with Heat, their names in the stack. Pure. */
export function startNodes(cloudPlan: CloudPlan): StartNodes {
    return byBackEnd[cloudPlan.backEnd](cloudPlan);
}

const byBackEnd: Record<BackEnd, (cloudPlan: CloudPlan) => StartNodes> = {
    nova: ({ plan }) => ({ nodes: nodesOf(plan) }),
    heat: ({ plan, stackName, own }) => {
        if (own) return { stackName, nodes: templateNodes(own), kept: keptResources(own.stack) };
        const nodes = nodesOf(plan);
        for (const server of plan.servers) {
            const { resource, healed, outputs, imageParameter, flavorParameter } = heatServer(server);
            nodes[server.name]!.flavor = server.flavor;
            nodes[server.name]!.stack = {
                server: resource,
                healed,
                parts: Object.keys(serverPart(plan, server).resources ?? {}),
                madeOf: { images: imageParameter, flavors: flavorParameter },
                address: outputs.address,
                ...(outputs.floatingAddress !== undefined && { sshAddress: outputs.floatingAddress }),
            };
        }
        const { jumpServer } = plan;
        const jump = jumpServer && {
            name: jumpServer.name,
            output: jumpNames.address,
            server: jumpNames.resource,
            image: jumpServer.image,
            flavor: jumpServer.flavor,
        };
        return { stackName, nodes, ...(jump && { jump }) };
    },
};

function nodesOf(plan: ServerPlan): StartNodes["nodes"] {
    const shapes = shapesOf(plan);
    return Object.fromEntries(
        plan.servers.map(server => [
            server.name,
            {
                role: server.role,
                ...(server.pool !== undefined && { pool: server.pool }),
                image: server.image,
                shape: shapes[server.name]!,
            },
        ]),
    );
}

/** What is fixed of each node's server. */
export function shapesOf({ servers, serverGroups }: ServerPlan): Record<string, StartNode["shape"]> {
    const policies = Object.fromEntries(serverGroups.map(({ key, policy }) => [key, policy]));
    return Object.fromEntries(servers.map(server => [server.name, shapeOf(server, policies)]));
}

/**
 * Everything that a cloud changes only by replacing the server, its port or its volume, in the words of the inputs. Without the image,
 * because another image is for new servers.
 */
function shapeOf(
    { flavor, availabilityZone, bootVolume, ...server }: ServerPlanEntry,
    policies: Record<string, string>,
): Record<string, string> {
    const [port, ...others] = server.ports;
    const volumes = server.volumes.map(({ key, type }) => [`volumes.${key}.type`, type ?? "the cloud's own type"]);
    const shape: Record<string, string | undefined> = {
        flavor,
        availabilityZone,
        bootVolume: bootVolume && `${bootVolume.sizeGiB} GiB ${bootVolume.type ?? ""}`.trim(),
        serverGroup: server.serverGroup && policies[server.serverGroup],
        configDrive: server.configDrive?.toString(),
        "port.vnicType": port?.vnicType,
        networks: others.map(networkOf).join(", ") || undefined,
        ...Object.fromEntries(volumes),
    };
    // Missing values are written, too, because only keys that both sides have are compared.
    return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, value ?? "none"]));
}

function networkOf({ network, vnicType }: PortPlan): string {
    return [network?.network, network?.subnet, vnicType].filter(Boolean).join(" ");
}
