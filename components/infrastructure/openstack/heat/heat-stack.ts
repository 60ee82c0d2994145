import type { ExpandedServer, ExpandedStack, PlaceOutputs } from "../hot/types";
import type { ServerPlan } from "../plan/server-plan";
import { withoutHidden } from "./heat-parameters";
import { placeOutputs } from "./heat-place";
import { heatTemplate, publicKeyParameter } from "./heat-template";

/** A template, ours or the user's, and the names of its parameters and outputs. */
export interface StackWords {
    template: string;
    publicKeyParameter?: string;
    /** Parameters that are keys of GivenNames. */
    given: string[];
    /** Parameters by server name. */
    inputs: Record<string, ServerParameters>;
    /** Outputs by node name. */
    servers: Record<string, ServerWords>;
    vip?: { address: string; cidr?: string; floatingAddress?: string };
    jumpAddress?: string;
    /** For a server beside the stack. */
    place?: PlaceOutputs;
}

export interface ServerParameters {
    userDataParameter?: string;
    generationParameter?: string;
    imageParameter?: string;
    flavorParameter?: string;
}

/** Names of outputs. */
export interface ServerWords {
    address: string;
    floatingAddress?: string;
    serverId: string;
    volumes?: Record<string, string>;
}

export function heatStack(plan: ServerPlan, own?: ExpandedStack): StackWords {
    return own ? ownStack(own) : plannedStack(plan);
}

/** Floating IPs come from the plan's external network. */
const { externalNetwork: _, ...plannedPlace } = placeOutputs;

function plannedStack(plan: ServerPlan): StackWords {
    const { template, given, servers, vip, jump } = heatTemplate(plan);
    const entries = Object.entries(servers);
    return {
        template,
        given,
        ...(plan.keyPair.made && { publicKeyParameter }),
        inputs: {
            ...Object.fromEntries(entries),
            ...(plan.jumpServer && jump && { [plan.jumpServer.name]: jump }),
        },
        servers: Object.fromEntries(entries.map(([name, { outputs }]) => [name, outputs])),
        vip,
        jumpAddress: jump?.address,
        ...(plan.storage && { place: plannedPlace }),
    };
}

function ownStack({ template, nodes, servers, vip, place }: ExpandedStack): StackWords {
    const words = ({ outputs: { sshAddress, ...outputs } }: ExpandedServer): ServerWords => ({
        ...outputs,
        ...(sshAddress !== undefined && { floatingAddress: sshAddress }),
    });
    return {
        template: withoutHidden(template),
        given: [],
        inputs: Object.fromEntries([...nodes, ...servers].map(server => [server.name, server])),
        servers: Object.fromEntries(nodes.map(node => [node.name, words(node)])),
        vip,
        ...(place && { place }),
    };
}
