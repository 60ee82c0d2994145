import { writeYaml } from "../hot/write-yaml";
import type { ServerPlan } from "../plan/server-plan";
import { sharedParts, vipOutputs } from "./heat-network";
import { getParam, givenParameters, type HeatPart, joined, resource } from "./heat-parts";
import { placePart } from "./heat-place";
import { type HeatServer, heatServer, jumpNames, jumpPart, serverGroupName, serverPart } from "./heat-server";

/** Supported by every Heat since Rocky. */
const version = "2018-08-31";

export const publicKeyParameter = "public_key";

/** A template, and the names of its stack's parameters and outputs. */
export interface HeatTemplate {
    /** HOT. The same plan gives the same text; another server only adds to it. */
    template: string;
    /** Names of all parameters; none has a default. */
    parameters: string[];
    /** Parameters for the ids of what is given by name; they are keys of GivenNames. */
    given: string[];
    /** By node name. */
    servers: Record<string, HeatServer>;
    /** Names of outputs. */
    vip?: { address: string; cidr: string; floatingAddress?: string };
    jump?: typeof jumpNames;
}

/**
 * The plan as a template with separate resources for each server. Heat's groups are not used, because they choose themselves which member to remove.
 */
export function heatTemplate(plan: ServerPlan): HeatTemplate {
    const { resources, outputs, ...of } = joined([
        ...sharedParts(plan),
        keyPair(plan),
        serverGroups(plan),
        ...(plan.jumpServer ? [jumpPart(plan, plan.jumpServer)] : []),
        ...plan.servers.map(entry => serverPart(plan, entry)),
        ...(plan.storage ? [placePart(plan)] : []),
    ]);
    const names = givenParameters(resources);
    const parameters = { ...of.parameters, ...names };
    const description = `Servers of the Kubernetes cluster ${plan.clusterName}. Made by pulumi-nfv: change the program, not this.`;
    const { floatingAddress, ...address } = vipOutputs;
    return {
        template: writeYaml({ heat_template_version: version, description, parameters, resources, outputs }),
        parameters: Object.keys(parameters),
        given: Object.keys(names),
        servers: Object.fromEntries(plan.servers.map(entry => [entry.name, heatServer(entry)])),
        ...(plan.vip && { vip: { ...address, ...(plan.vip.floatingIp && { floatingAddress }) } }),
        ...(plan.jumpServer && { jump: jumpNames }),
    };
}

function keyPair({ keyPair: { name, made } }: ServerPlan): HeatPart {
    if (!made) return { resources: {} };
    return {
        parameters: { [publicKeyParameter]: { type: "string", description: "Public key of the cluster, for SSH" } },
        resources: {
            key_pair: resource("OS::Nova::KeyPair", { name, public_key: getParam(publicKeyParameter) }),
        },
    };
}

function serverGroups(plan: ServerPlan): HeatPart {
    const groups = plan.serverGroups.map(({ key, name, policy }) => [
        serverGroupName(key),
        resource("OS::Nova::ServerGroup", { name, policies: [policy] }),
    ]);
    return { resources: Object.fromEntries(groups) };
}
