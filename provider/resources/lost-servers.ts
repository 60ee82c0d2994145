import { NfvError } from "../errors";
import { type CloudClient, getServer, type LiveStack, liveStack, markUnhealthy } from "../openstack";
import { volumeExists } from "../openstack/cinder";
import { isDeleted } from "../openstack/nova";
import { adminConfig } from "../shell/kubectl";
import { usualPath } from "../shell/script";
import type { Connection } from "../ssh";
import { query } from "../steps/query";
import type { CloudStartInputs, CloudStartState } from "./cloud-start-inputs";
import { away, connectTo, hurried, type Peer } from "./machine";
import { mastersToLeaveBy, type PeerStatus, statusOfPeers } from "./machine-statuses";
import { outputOf, targetOf } from "./remove-nodes";
import { cloudClient } from "./server";
import { type Marked, settleMarks } from "./stack-marks";
import { healedOf, serverIds, stackName, stackOf, topResources } from "./stack-servers";
import type { Context, InSession } from "./types";

/** What is known of a server that the cloud no longer calls healthy. */
export interface ServerSigns {
    /**
     * `gone`: Nova has no such server, which also happens after its database was restored from an older backup.
     * `error`: Nova gave the server up. Neither proves that the machine is dead.
     */
    nova: "fine" | "error" | "gone";
    /** Whether anything answers by SSH, even with a refusal; undefined if the stack has no address for it. */
    answers?: boolean;
    /**
     * Whether the node is Ready; `none`: the cluster has no such node; undefined: no control-plane node could be asked.
     */
    ready?: "yes" | "no" | "none";
}

export type ServerVerdict = "there" | "lost" | "unclear";

/**
 * The first row that applies. A server is replaced with everything on it, so one that cannot be examined never counts
 * as lost.
 */
const verdicts: { verdict: ServerVerdict; when: (signs: ServerSigns) => boolean }[] = [
    { verdict: "there", when: ({ nova, answers }) => nova === "fine" || answers === true },
    // Kubernetes may show its node as Ready for some 40 s after it died.
    { verdict: "lost", when: ({ nova, answers }) => nova === "gone" && answers === false },
    { verdict: "there", when: ({ ready }) => ready === "yes" },
    { verdict: "unclear", when: ({ ready }) => ready === undefined },
    { verdict: "lost", when: () => true },
];

export function verdictOn(signs: ServerSigns): ServerVerdict {
    return verdicts.find(({ when }) => when(signs))!.verdict;
}

/** Whether etcd keeps its quorum when this many of its members are lost. */
export function keepsQuorum(masters: number, lost: number): boolean {
    return lost === 0 || masters - lost > Math.floor(masters / 2);
}

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
        // A server that Heat is replacing is neither there nor lost.
        if (stack.state === "IN_PROGRESS") return state.missing ?? {};
        const lost = await lostOf(state, stack, context);
        const names = Object.keys(lost);
        if (names.length > 0) context.warn(`the servers of ${names.join(", ")} are lost: the next up replaces them`);
        return lost;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${spec.clusterName}: servers were not looked after: ${error.reason}`);
        return state.missing ?? {};
    }
}

async function lostOf(state: CloudStartInputs, stack: LiveStack, context: Context): Promise<LostServers> {
    const { spec } = state;
    const cloud = cloudClient(context, spec.cloud);
    const ids = await serverIds(cloud, stack, spec);
    const seen = await Promise.all(
        [...ids].map(async ([name, id]) => ({ name, id, nova: await wordOfNova(cloud, id) })),
    );
    const signs = await signsOf(state, stack, seen, context);
    const lost = seen.filter(({ name }) => verdictOn(signs[name]!) === "lost");
    for (const { name } of seen) {
        const { nova } = signs[name]!;
        if (nova === "fine" || lost.some(each => each.name === name)) continue;
        const said = { error: "is ERROR in Nova", gone: "does not exist any more, Nova says," }[nova];
        context.warn(`${name}: its server ${said} and stays: ${whyKept(signs[name]!)}`);
    }
    return Object.fromEntries(lost.map(({ name, id }) => [name, id]));
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
    state: CloudStartInputs,
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
function peersOf(state: CloudStartInputs, stack: LiveStack, wanted: (name: string) => boolean): Peer[] {
    return Object.entries(state.spec.nodes).flatMap(([name, { stack: place }]): Peer[] => {
        const connection = wanted(name) ? targetOf(state, stack, name) : undefined;
        return connection === undefined ? [] : [{ name, connection, address: outputOf(stack, place?.address) }];
    });
}

/** A machine that refuses the login, or shows another host key, does answer. Undefined: it has no address. */
async function answersBySsh(
    state: CloudStartInputs,
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

/** Prints the status of the node's condition Ready, or "none". Wants NODE. */
const readyScript = `${usualPath}
export KUBECONFIG=${adminConfig}
kubectl get node "$NODE" --ignore-not-found -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' --request-timeout=20s
kubectl get node "$NODE" --ignore-not-found -o name --request-timeout=20s | grep -q . || echo none
`;

async function readiness(master: Connection, node: string): Promise<ServerSigns["ready"]> {
    const step = "ask whether the node is Ready";
    try {
        const said = await query(master, { step, script: readyScript, env: { NODE: node }, timeoutSeconds: 60 });
        return { True: "yes", False: "no", Unknown: "no", none: "none" }[said.trim()] as ServerSigns["ready"];
    } catch (error) {
        if (error instanceof NfvError) return undefined;
        throw error;
    }
}

/**
 * Tells Heat which servers are lost. They are examined again first, because the refresh that found them lost may be
 * days old. The raised generation makes Heat examine them, too.
 * @returns what was marked
 * @throws QUORUM_AT_RISK, SERVER_FAILED before any change
 */
export async function markLost(olds: CloudStartState, news: CloudStartInputs, context: Context): Promise<Marked> {
    const healed = healedOf(news.spec);
    const names = Object.keys(olds.missing ?? {}).filter(name => healed.has(name));
    const earlier = olds.marked ?? {};
    // Only parameters of the stack can change now, and the stack's own hook looks.
    if (names.length === 0 && olds.stackHash !== undefined && olds.stackHash === news.stackHash) return earlier;
    const stack = await stackOf(news.spec, context);
    if (stack === undefined) return {};
    const cloud = cloudClient(context, news.spec.cloud);
    const resources = await topResources(cloud, stack);
    const leaving = new Set([...healedOf(olds.spec)].flatMap(([name, all]) => (healed.has(name) ? [] : all)));
    if (names.length === 0) {
        await settleMarks({ cloud, stack, resources }, news.spec, { marked: earlier, leaving }, context);
        return earlier;
    }
    const now = await lostOf({ ...news, spec: { ...news.spec, clusterId: olds.spec.clusterId } }, stack, context);
    const lost = names.filter(name => now[name] !== undefined && now[name] === olds.missing![name]);
    const back = names.filter(each => !lost.includes(each));
    if (back.length > 0) throw notLost(back);
    refuseHealWhileLeaving(olds, news, lost);
    await requireMajority(olds, Object.keys(now), stack, context);
    const made = new Map(resources.map(each => [each.resource_name, each.physical_resource_id]));
    const unhealthy = lost.flatMap(name => healed.get(name)!.filter(each => made.has(each)));
    const marked: Marked = Object.fromEntries(unhealthy.map(each => [each, made.get(each)!]));
    await settleMarks({ cloud, stack, resources }, news.spec, { marked: { ...earlier, ...marked }, leaving }, context);
    context.report(`the servers of ${lost.join(", ")} are to be replaced`);
    for (const resource of unhealthy) await markUnhealthy(cloud, stack, resource, "pulumi-nfv: the server is lost");
    return marked;
}

/** A lost master joins again through the others, so these must not leave in the same run. */
function refuseHealWhileLeaving(olds: CloudStartState, news: CloudStartInputs, lost: readonly string[]): void {
    const masters = Object.entries(olds.spec.nodes).filter(([, { role }]) => role === "controlPlane");
    const leaving = masters.map(([name]) => name).filter(name => !Object.hasOwn(news.spec.nodes, name));
    const healed = masters.map(([name]) => name).filter(name => lost.includes(name));
    if (leaving.length === 0 || healed.length === 0) return;
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        step: "replace lost servers",
        cause: `the servers of ${healed.join(", ")} are lost, and the program takes ${leaving.join(", ")} out in the same run; nothing was changed`,
        hint: `Put ${leaving.join(", ")} back into the program and run pulumi up --refresh. Take them out after that.`,
    });
}

/** The checks have let a lost server have another image, flavor or template. Given to a living one, Heat would replace it. */
function notLost(names: readonly string[]): NfvError {
    return new NfvError({
        code: "SERVER_FAILED",
        node: names[0]!,
        step: "replace lost servers",
        cause: `the last refresh found the servers of ${names.join(", ")} lost, and now they are not: they live, or were replaced; nothing was changed`,
        hint: "Run pulumi up --refresh: it looks at the servers again.",
    });
}

/**
 * New control-plane nodes join through etcd's quorum. Without it they would be created in vain, and data that could be
 * saved put at risk.
 */
async function requireMajority(
    olds: CloudStartState,
    lost: readonly string[],
    stack: LiveStack,
    context: InSession,
): Promise<void> {
    const { nodes, clusterId } = olds.spec;
    const masters = Object.keys(nodes).filter(name => nodes[name]!.role === "controlPlane");
    const lostMasters = masters.filter(name => lost.includes(name));
    if (keepsQuorum(masters.length, lostMasters.length)) return;
    const others = await statusOfPeers(
        context,
        peersOf(olds, stack, name => !lost.includes(name)),
    );
    // If one of them answers now, it is alive, whatever was found before.
    const last = await statusOfPeers(context, peersOf(olds, stack, name => lostMasters.includes(name)).map(inHurry));
    const disks = await bootVolumes(olds, lostMasters, stack, context);
    // If no machine ever was a member (the first `up` failed), nothing is at risk. If no machine is left to ask, that
    // is unknown; but without boot volumes, the data is gone with the servers.
    const isNone = ({ facts }: PeerStatus) => facts !== undefined && facts.memberOf !== clusterId;
    const none = others.every(isNone) && last.every(peer => peer.facts === undefined || isNone(peer));
    if (none && (others.length > 0 || disks.length === 0)) return;
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        step: "replace lost servers",
        cause: `the servers of ${lostMasters.join(", ")} are lost, of ${masters.length} masters: etcd has no majority, so new ones could not join`,
        hint:
            (disks.length === 0
                ? ""
                : `etcd's data may be on ${disks.join(", ")}: a new server would begin with an empty disk. Make a snapshot first. `) +
            "Bring back enough of these servers in the cloud (openstack server show says why they are lost), then run pulumi up --refresh. " +
            "Is their data lost for good: pulumi destroy, build the cluster again, and restore a backup.",
    });
}

const inHurry = (peer: Peer): Peer => ({ ...peer, connection: hurried(peer.connection) });

/** Boot volumes of these nodes that still exist: deleting a server keeps them. "the boot volume of NODE (id)". */
async function bootVolumes(
    olds: CloudStartState,
    names: readonly string[],
    stack: LiveStack,
    context: InSession,
): Promise<string[]> {
    const cloud = cloudClient(context, olds.spec.cloud);
    const made = (await topResources(cloud, stack)).filter(each => each.resource_type === "OS::Cinder::Volume");
    const found = names.flatMap(name => {
        const healed = olds.spec.nodes[name]!.stack?.healed ?? [];
        return made
            .filter(({ resource_name }) => healed.includes(resource_name))
            .map(({ physical_resource_id: id }) => ({ name, id }));
    });
    const there = await Promise.all(found.map(({ id }) => volumeExists(cloud, id)));
    return found.filter((_, i) => there[i]).map(({ name, id }) => `the boot volume of ${name} (${id})`);
}
