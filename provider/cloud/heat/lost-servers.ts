import { NfvError } from "../../common/errors";
import type { Context, InSession } from "../../contract/types";
import { lookAtReadiness } from "../../kubeadm/look";
import { away, connectTo, hurried, type Peer } from "../../machine/machine";
import { mastersToLeaveBy } from "../../machine/machine-statuses";
import { cloudClient } from "../../machine/server";
import { type CloudClient, getServer, type LiveStack, liveStack } from "../../openstack";
import { isDeleted } from "../../openstack/nova";
import type { Connection } from "../../ssh";
import type { CloudStartState } from "../cloud-start-inputs";
import { outputOf, type StackMachines, targetOf } from "../remove-nodes";
import { type ServerSigns, type ServerVerdict, verdictOn } from "../server-verdict";
import { refuseStackOfOthers, serverIds, stackName } from "./stack-servers";

/** Lost servers: name of the node or jump server → id of its server in Nova. */
export type LostServers = Record<string, string>;

/**
 * Nodes whose servers are lost although Heat believes that they exist. If that cannot be determined, the former result.
 */
export async function lostServers(state: CloudStartState, context: Context): Promise<LostServers> {
    const { spec } = state;
    if (spec.backEnd !== "heat") return {};
    try {
        const stack = await liveStack(cloudClient(context, spec.cloud), stackName(spec));
        if (stack === undefined) return {};
        refuseStackOfOthers(spec, stack);
        // A server that Heat is replacing is neither there nor lost.
        if (stack.state === "IN_PROGRESS") return state.missing ?? {};
        const lost = lostOf(await examineServers(state, stack, context));
        const names = Object.keys(lost);
        if (names.length > 0) context.warn(lostLine(names));
        return lost;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${spec.clusterName}: servers were not looked after: ${error.reason}`);
        return state.missing ?? {};
    }
}

/** The warning of servers that are found lost. `nfv check` tells them in words of its own. */
export const lostLine = (names: readonly string[]) =>
    `the servers of ${names.join(", ")} are lost: the next up replaces them`;

/** Id and verdict of each server of nodes and of the jump server, by name. Those that were never created are left out. */
export type Examined = ReadonlyMap<string, { id: string; verdict: ServerVerdict }>;

/** Looks at the servers now, in Nova, by SSH and in the cluster. Warns of what the cloud calls broken and which stays. */
async function examineServers(machines: StackMachines, stack: LiveStack, context: Context): Promise<Examined> {
    const { spec } = machines;
    const cloud = cloudClient(context, spec.cloud);
    const ids = await serverIds(cloud, stack, spec);
    const seen = await Promise.all(
        [...ids].map(async ([name, id]) => ({ name, id, nova: await wordOfNova(cloud, id) })),
    );
    const signs = await signsOf(machines, stack, seen, context);
    for (const { name } of seen) {
        const { nova } = signs[name]!;
        if (nova === "fine" || verdictOn(signs[name]!) === "lost") continue;
        const said = { error: "is ERROR in Nova", gone: "does not exist any more, Nova says," }[nova];
        context.warn(`${name}: its server ${said} and stays: ${whyKept(signs[name]!)}`);
    }
    return new Map(seen.map(({ name, id }) => [name, { id, verdict: verdictOn(signs[name]!) }]));
}

/** Examines the servers when first asked to, and once: each that is silent costs a time-out. */
export function examination(machines: StackMachines, stack: LiveStack, context: Context): () => Promise<Examined> {
    let examined: Promise<Examined> | undefined;
    return () => {
        examined ??= examineServers(machines, stack, context);
        return examined;
    };
}

/** The lost ones among them. */
export function lostOf(examined: Examined): LostServers {
    const lost = [...examined].filter(([, { verdict }]) => verdict === "lost");
    return Object.fromEntries(lost.map(([name, { id }]) => [name, id]));
}

async function wordOfNova(cloud: CloudClient, id: string): Promise<ServerSigns["nova"]> {
    const server = await getServer(cloud, id);
    return isDeleted(server) ? "gone" : server?.status === "ERROR" ? "error" : "fine";
}

function whyKept({ nova, answers, ready }: ServerSigns): string {
    if (answers)
        return nova === "gone"
            ? "it answers by SSH. Is this the right cloud, and is all of Nova there?"
            : "it answers by SSH";
    if (ready === "yes") return "its node is Ready";
    return "no living master can say whether its node is Ready";
}

/** Tests SSH for servers that are not fine in Nova. For those that SSH does not decide, asks a control-plane node. */
async function signsOf(
    state: StackMachines,
    stack: LiveStack,
    seen: readonly { name: string; nova: ServerSigns["nova"] }[],
    context: InSession,
): Promise<Record<string, ServerSigns>> {
    const entries = seen.map(async ({ name, nova }): Promise<[string, ServerSigns]> => {
        const answers = nova === "fine" ? undefined : await answersBySsh(state, stack, name, context);
        return [name, { nova, ...(answers !== undefined && { answers }) }];
    });
    const signs = Object.fromEntries(await Promise.all(entries));
    const open = Object.keys(signs).filter(name => verdictOn(signs[name]!) === "unclear");
    if (open.length === 0) return signs;
    const mayLive = (name: string) => signs[name] === undefined || verdictOn(signs[name]) !== "lost";
    const masters = peersOf(state, stack, name => state.spec.nodes[name]!.role === "controlPlane" && mayLive(name));
    const { living } = await mastersToLeaveBy(context, state.spec.clusterId, masters);
    const asked = open.map(async (name): Promise<[string, ServerSigns]> => {
        // The jump server is not a node, so only its own answer counts.
        const none = name === state.spec.jump?.name ? ("none" as const) : undefined;
        const ready = none ?? (living && (await readiness(living.connection, name)));
        return [name, { ...signs[name]!, ...(ready && { ready }) }];
    });
    return { ...signs, ...Object.fromEntries(await Promise.all(asked)) };
}

/** Nodes of the stack that have an address. */
export function peersOf(state: StackMachines, stack: LiveStack, wanted: (name: string) => boolean): Peer[] {
    return Object.entries(state.spec.nodes).flatMap(([name, { stack: place }]): Peer[] => {
        const connection = wanted(name) ? targetOf(state, stack, name) : undefined;
        return connection === undefined ? [] : [{ name, connection, address: outputOf(stack, place?.address) }];
    });
}

/** A machine that refuses the login, or shows another host key, does answer. Undefined: it has no address. */
async function answersBySsh(
    state: StackMachines,
    stack: LiveStack,
    name: string,
    context: InSession,
): Promise<boolean | undefined> {
    const target = targetOf(state, stack, name);
    if (target === undefined) return undefined;
    try {
        await connectTo(context, hurried(target)).exec(["true"], { timeoutSeconds: 30 });
        return true;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return !away.has(error.code);
    }
}

async function readiness(master: Connection, node: string): Promise<ServerSigns["ready"]> {
    try {
        const said = await lookAtReadiness(master, node);
        return { True: "yes", False: "no", Unknown: "no", none: "none" }[said] as ServerSigns["ready"];
    } catch (error) {
        if (error instanceof NfvError) return undefined;
        throw error;
    }
}
