import type { BackEnd } from "../../provider/openstack/needs";
import type { OperationStartSpec } from "../../provider/resources/operation-start-inputs";
import { heatServer, jumpNames } from "./heat-server";
import { templateNodes } from "./own-template";
import type { CloudPlan } from "./plan-cloud";
import type { ServerPlan } from "./server-plan";

type StartNodes = Pick<OperationStartSpec, "nodes" | "stackName" | "jump">;

/** What the operation's start is told of its nodes: what they are made of and, with Heat, where they are in the stack. Pure. */
export function startNodes(cloudPlan: CloudPlan): StartNodes {
    return byBackEnd[cloudPlan.backEnd](cloudPlan);
}

const byBackEnd: Record<BackEnd, (cloudPlan: CloudPlan) => StartNodes> = {
    nova: ({ plan }) => ({ nodes: nodesOf(plan) }),
    heat: ({ plan, stackName, own }) => {
        if (own) return { stackName, nodes: templateNodes(own) };
        const nodes = nodesOf(plan);
        for (const server of plan.servers) {
            const { resource, healed, outputs } = heatServer(server);
            nodes[server.name]!.stack = {
                server: resource,
                healed,
                address: outputs.address,
                ...(outputs.floatingAddress !== undefined && { sshAddress: outputs.floatingAddress }),
            };
        }
        const jump = plan.jumpServer && { name: plan.jumpServer.name, output: jumpNames.address };
        return { stackName, nodes, ...(jump && { jump }) };
    },
};

function nodesOf({ servers }: ServerPlan): StartNodes["nodes"] {
    return Object.fromEntries(
        servers.map(({ name, role, pool, image, flavor, availabilityZone, bootVolume }) => [
            name,
            {
                role,
                ...(pool !== undefined && { pool }),
                shape: {
                    image,
                    flavor,
                    ...(availabilityZone !== undefined && { availabilityZone }),
                    ...(bootVolume && { bootVolume: `${bootVolume.sizeGiB} GiB ${bootVolume.type ?? ""}`.trim() }),
                },
            },
        ]),
    );
}
