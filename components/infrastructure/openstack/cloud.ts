import * as pulumi from "@pulumi/pulumi";
import { CloudCheck } from "../../../provider/adapters/dynamic";
import { textOfKnown } from "../../../provider/adapters/pack";
import type { CloudRequirements } from "../../../provider/openstack/requirements";
import type { KubernetesClusterArgs } from "../../args/args";
import { invalidInput } from "../../common/invalid-input";
import { asksToHeal, replaceWish } from "../heal-wish";
import type { Infrastructure, InfrastructureFactory, InfrastructureRequest, Pending } from "../infrastructure";
import { heldReplacements, joiningNodes, nodesBehind, pendingReplacements, replacing } from "../replacing";
import { upgradeOrder } from "../upgrade-order";
import { ClusterOnServers } from "./back-end";
import type { Site } from "./cloud-login";
import { claimKeyPair } from "./key-pair-names";
import { givenCloudProvider } from "./plan/cloud-provider-plan";
import { type CloudPlan, planCloud } from "./plan-cloud";
import { provision } from "./provision";
import type { ServerMaker } from "./server-maker";

/** A cloud whose servers `maker` makes. */
export function onCloud(maker: ServerMaker): InfrastructureFactory {
    return request => {
        const plan = planCloud(request.name, request.args);
        claimKeyPair(plan, "KubernetesCluster", request.name);
        return inCloud(request, plan, maker);
    };
}

/** What `plan` says, by servers that `maker` makes. */
export function inCloud(request: InfrastructureRequest, plan: CloudPlan, maker: ServerMaker): Infrastructure {
    const { name, args, parent, problems } = request;
    for (const warning of plan.warnings) void pulumi.log.warn(warning, parent);
    const turns = serverTurns(name, args, plan);
    const needs = turns ? turns.pending.then(names => withReplaced(plan.needs, names)) : plan.needs;
    const check = new CloudCheck(
        name,
        { needs: textOfKnown(needs), cloud: plan.settings, ...(problems !== undefined && { problems }) },
        { parent },
    );
    const cluster = new ClusterOnServers(plan.backEnd, name, parent);
    const site: Site = { plan, check, cluster, maker, ...(turns && { turns }) };
    return {
        nodes: plan.plan.servers,
        parent: site.cluster,
        preflight: [check],
        givenNames: check.names,
        fileContents: { "infrastructure.heat.template": plan.own?.files },
        ...(args.cloudProvider && { cloudProvider: givenCloudProvider(args, args.cloudProvider) }),
        provision: asked => provision(request, site, asked),
    };
}

function serverTurns(name: string, args: KubernetesClusterArgs, { plan: { clusterName, servers: nodes } }: CloudPlan) {
    const { replaceServers: request } = replaceWish(args, nodes);
    const { version, upgrade } = args.kubernetes;
    const order = upgradeOrder(upgrade, nodes);
    const holds = (name: string) => nodes.some(each => each.name === name && order.inputsOf(each).upgradeTurn?.holds);
    const master = nodes.find(node => node.role === "controlPlane" && request?.nodes.includes(node.name));
    // A restore acts on all control-plane nodes before any of them joins.
    if (master && args.etcdRestore)
        throw invalidInput("KubernetesCluster", name, [
            `replaceServers: names ${master.name}, a control-plane node, while etcdRestore is in the program: a server would go in the middle of a restore. Take one of the two out of the program; a word that is done is not needed`,
        ]);
    return (
        request &&
        replacing(request, {
            pending: pendingReplacements({ clusterName, wish: request, nodes }),
            joining: joiningNodes({ clusterName, nodes, asksToHeal: name => asksToHeal(args, name) }),
            behind: nodesBehind({ clusterName, holds }),
            held: heldReplacements({ clusterName, wish: request, nodes, holds, version }),
        })
    );
}

/** A new server needs the present image and flavor; one that stays keeps its own. */
function withReplaced(needs: CloudRequirements, names: Pending): CloudRequirements {
    const servers = needs.servers.map(server =>
        names.has(server.name) ? { ...server, replaced: true as const } : server,
    );
    return { ...needs, servers };
}
