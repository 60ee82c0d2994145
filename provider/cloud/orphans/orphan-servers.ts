import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import type { Context, InSession } from "../../contract/types";
import { ownershipOf } from "../../kubeadm/ownership";
import { connectTo, forgetMachine, hurried, isUnreachable } from "../../machine/machine";
import { machineStatusOf } from "../../machine/machine-statuses";
import { cloudClient } from "../../machine/server";
import { type CloudClient, type Owner, otherProject } from "../../openstack";
import { hostKeyOf } from "../../openstack/host-key";
import { addressesOf, deleteServer, getServer, isDeleted, type Server, serversNamed } from "../../openstack/nova";
import { ownerTag } from "../../openstack/requirements";
import type { CloudSettings } from "../../openstack/settings";
import { howToRestoreState } from "../../operation/restore-state";
import type { SshTarget } from "../../ssh";
import type { CommonTarget } from "../cloud-start-inputs";

/** The owner of these servers, and how their machines are reached. */
export interface ServersOwner {
    clusterId: string;
    cloud: CloudSettings;
    /** Id of the project in which the cluster was created. */
    project?: string;
    /** The region in which the cluster was created. */
    region?: string;
    /** The whole mark: cluster, program, and the key that only this state has. */
    mark: Owner;
    ssh: CommonTarget;
    /** From ServerKeys. Undefined: the servers have their own host keys. */
    seed?: string;
    /** Name of our jump server, through which all connections go. */
    jump?: string;
    /** How long to wait for a server that boots, in seconds. @default 300 */
    bootTimeoutSeconds?: number;
}

/** What is known of a server that has our whole mark and is not in the state. */
export interface OrphanSigns {
    /** Its status in Nova. */
    status: string;
    isJump: boolean;
    /** Nova has started its machine at least once. */
    launched: boolean;
    /** What the machine has on it; undefined if it does not answer. */
    machine?: "blank" | "used";
}

export type OrphanFate = "remove" | "in use" | "unclear";

const ours = new Set(["ACTIVE", "BUILD", "ERROR"]);

/** The first row that applies. A server is deleted with everything on it, so one that cannot be examined stays. */
const fates: { fate: OrphanFate; when: (signs: OrphanSigns) => boolean }[] = [
    // Paused, shut off, shelved: a person did that.
    { fate: "unclear", when: ({ status }) => !ours.has(status) },
    // It has no data and is not a node.
    { fate: "remove", when: ({ isJump, launched }) => isJump || !launched },
    { fate: "in use", when: ({ machine }) => machine === "used" },
    { fate: "remove", when: ({ machine }) => machine === "blank" },
    { fate: "unclear", when: () => true },
];

export function fateOf(signs: OrphanSigns): OrphanFate {
    return fates.find(({ when }) => when(signs))!.fate;
}

/**
 * Runs before a server is created: removes the server that a killed run left under its name. Pulumi records a server
 * only after Nova has created it, so a run that is killed before leaves one that occupies its ports.
 * @throws NOT_OURS for a server of this name that is not ours, was in use, or cannot be examined
 */
export async function clearTheName(name: string, owner: ServersOwner, context: Context): Promise<void> {
    const cloud = await cloudOf(owner, context);
    for (const server of await serversNamed(cloud, name)) {
        if (isInStack(server, owner.mark)) continue;
        if (!bears(server, owner.mark)) throw stranger(server);
        const fate = fateOf(await signsOf(server, cloud, owner, context));
        if (fate !== "remove") throw refusals[fate](server);
        await remove(server, cloud, owner, context);
    }
}

/**
 * Runs before the cluster's network is created. If servers have the cluster's names, a cluster may exist that the state
 * has lost. @throws NOT_OURS
 */
export async function refuseSecondCluster(
    owner: ServersOwner,
    names: readonly string[],
    context: InSession,
): Promise<void> {
    const found = await serverOnOurNetwork(await cloudOf(owner, context), owner.mark, names);
    if (found === undefined) return;
    throw bears(found, owner.mark) ? refusals["in use"](found) : stranger(found);
}

/**
 * A server with one of these names. Without our mark it may be ours, too: anybody in the project can change metadata.
 * Servers of this program's stack are left out: they are on the stack's network.
 */
export async function serverOnOurNetwork(
    cloud: CloudClient,
    mark: Owner,
    names: readonly string[],
): Promise<Server | undefined> {
    const found = (await serversOf(cloud, names)).filter(server => !isInStack(server, mark));
    return found.find(server => bears(server, mark)) ?? found[0];
}

/** @throws CLOUD_CONFIG_INVALID for credentials of another project or region */
export async function cloudOf(
    { cloud: settings, ...home }: Pick<ServersOwner, "cloud" | "project" | "region">,
    context: InSession,
): Promise<CloudClient> {
    const cloud = cloudClient(context, settings);
    const wrong = await otherProject(cloud, home);
    if (wrong !== undefined) throw wrong;
    return cloud;
}

export function bears({ metadata }: Pick<Server, "metadata">, mark: Owner): boolean {
    return Object.entries(mark).every(([key, value]) => metadata[key] === value);
}

/**
 * Whether Heat made it for this program; Heat does not write our key on servers. A cluster that changes its back end
 * has both for a while.
 */
function isInStack({ metadata }: Server, mark: Owner): boolean {
    const { [ownerTag]: _, ...others } = mark;
    return metadata[ownerTag] === undefined && bears({ metadata }, others);
}

async function signsOf(server: Server, cloud: CloudClient, owner: ServersOwner, context: Context) {
    const signs: OrphanSigns = {
        status: server.status,
        isJump: isJump(server),
        launched: wasLaunched(server),
    };
    // The machine is asked only if its answer decides.
    if (fateOf(signs) !== "unclear" || !ours.has(server.status)) return signs;
    return { ...signs, machine: await wordOf(server, server.name, cloud, owner, context) };
}

/** Statuses of servers that may still boot. */
const mayAnswer = new Set(["ACTIVE", "BUILD", "REBOOT", "HARD_REBOOT"]);

/** What the machine has on it, as soon as it answers. One that does not boot (ERROR, SHUTOFF) is asked once. */
async function wordOf(
    { id, status }: Server,
    name: string,
    cloud: CloudClient,
    owner: ServersOwner,
    context: Context,
    jump: JumpOf = jumpByMark,
): Promise<OrphanSigns["machine"]> {
    const end = Date.now() + (mayAnswer.has(status) ? (owner.bootTimeoutSeconds ?? 300) : 0) * 1000;
    for (;;) {
        for (const target of await targetsOf(id, name, cloud, owner, jump)) {
            try {
                const facts = await machineStatusOf(connectTo(context, hurried(target)), target.host);
                return ownershipOf({ clusterId: owner.clusterId, name, facts }).ownership === "empty"
                    ? "blank"
                    : "used";
            } catch (error) {
                if (!isUnreachable(error)) throw error;
            }
        }
        if (Date.now() >= end || isDeleted(await getServer(cloud, id))) return undefined;
        context.report(`a server "${name}" that no state knows: waiting for SSH to look at it`);
        await sleep(Math.min(3000, end - Date.now()), undefined, { signal: context.signal });
    }
}

type JumpOf = (cloud: CloudClient, owner: ServersOwner) => Promise<Server | undefined>;

/** Beside a stack the jump server may be one of the stack's, which does not have our key. */
const jumpByMark: JumpOf = async (cloud, { jump, mark }) =>
    jump === undefined
        ? undefined
        : (await serversNamed(cloud, jump)).find(server => bears(server, mark) || isInStack(server, mark));

/**
 * The combined answer of the machines of nodes: undefined also if there is none. `ids`: servers, perhaps with the jump server. `nodes`: Nova id →
 * name of the node.
 */
export async function wordOfAll(
    ids: readonly string[],
    nodes: ReadonlyMap<string, string>,
    owner: ServersOwner,
    context: Context,
): Promise<OrphanSigns["machine"]> {
    const cloud = await cloudOf(owner, context);
    const found = await Promise.all(ids.map(id => getServer(cloud, id)));
    const servers = found.flatMap(server => (server === undefined || isDeleted(server) ? [] : [server]));
    const jump: JumpOf = async () => servers.find(server => server.name === owner.jump);
    const named = servers.flatMap(server => (nodes.has(server.id) ? [{ server, name: nodes.get(server.id)! }] : []));
    // Without a node nothing proves it, and volumes with data may still exist.
    return combinedWord(named, undefined, { cloud, owner, context, jump });
}

/**
 * The same of these servers: "blank" also if there is none. One without our whole mark is not asked: it is never certain. A jump server of ours has
 * nothing to show: the nodes behind it count.
 */
export async function useOf(
    servers: readonly Server[],
    owner: ServersOwner,
    context: Context,
): Promise<OrphanSigns["machine"]> {
    if (servers.some(server => !bears(server, owner.mark) && !isDeleted(server))) return undefined;
    const nodes = servers.filter(server => !isJump(server)).map(server => ({ server, name: server.name }));
    return combinedWord(nodes, "blank", { cloud: await cloudOf(owner, context), owner, context, jump: jumpByMark });
}

/** "used" as soon as one of the machines says so; undefined if that is not certain; `none` if no server is there. */
async function combinedWord(
    nodes: readonly { server: Server; name: string }[],
    none: OrphanSigns["machine"],
    { cloud, owner, context, jump }: { cloud: CloudClient; owner: ServersOwner; context: Context; jump: JumpOf },
): Promise<OrphanSigns["machine"]> {
    const stop = new AbortController();
    const within = { ...context, signal: AbortSignal.any([stop.signal, ...(context.signal ? [context.signal] : [])]) };
    const words = nodes.map(async ({ server, name }): Promise<OrphanSigns["machine"][]> => {
        if (!wasLaunched(server)) return ["blank"];
        const word = await wordOf(server, name, cloud, owner, within, jump);
        if (word === "used") stop.abort();
        // The look at the servers' own names may have deleted it meanwhile, as what a killed run left.
        return word === undefined && isDeleted(await getServer(cloud, server.id)) ? [] : [word];
    });
    const ends = await Promise.allSettled(words);
    const known = ends.flatMap(end => (end.status === "fulfilled" ? end.value : []));
    if (known.includes("used")) return "used";
    const failed = ends.find(end => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (known.length === 0) return none;
    return known.includes(undefined) ? undefined : "blank";
}

/** All servers of these names. */
export async function serversOf(cloud: CloudClient, names: readonly string[]): Promise<Server[]> {
    return (await Promise.all(names.map(name => serversNamed(cloud, name)))).flat();
}

export const isJump = ({ metadata }: Server) => metadata["pulumi-nfv.role"] === "jump";

/** If the cloud does not say, assume that it was launched. */
export function wasLaunched(server: Server): boolean {
    return server["OS-SRV-USG:launched_at"] !== null;
}

/** Floating addresses first. Read each time: a server that is being built has none yet. */
async function targetsOf(
    id: string,
    name: string,
    cloud: CloudClient,
    owner: ServersOwner,
    jumpOf: JumpOf = jumpByMark,
): Promise<SshTarget[]> {
    const { jump: given, ...login } = owner.ssh;
    const held = (server: string) =>
        owner.seed === undefined ? {} : { hostKey: hostKeyOf(owner.seed, server).publicKey };
    const own = await jumpOf(cloud, owner);
    const [way] = own === undefined ? [] : addressesOf(own);
    const jump = way === undefined ? given : { ...login, host: way, ...held(owner.jump!) };
    const server = await getServer(cloud, id);
    return (server === undefined ? [] : addressesOf(server)).map(host => ({ ...login, host, ...held(name), jump }));
}

/** Verify the proof again: minutes may have passed. */
async function remove({ id }: Server, cloud: CloudClient, owner: ServersOwner, context: Context): Promise<void> {
    const server = await getServer(cloud, id);
    if (server === undefined || isDeleted(server)) return;
    if (!bears(server, owner.mark) || !ours.has(server.status)) throw refusals.unclear(server);
    context.warn(`the server "${server.name}" (${id}) is what a killed run left: it is deleted, then made again`);
    const targets = await targetsOf(id, server.name, cloud, owner);
    if (!(await deleteServer(cloud, id, context.signal))) throw refusals.unclear(server);
    for (const target of targets) await forgetMachine(context, target);
}

const removal = ({ id }: Server) => `openstack server delete --wait ${id}`;

function stranger(server: Server): NfvError {
    return new NfvError({
        code: "NOT_OURS",
        cause: `a server "${server.name}" (${server.id}, ${server.status}) exists already and was not made from this state`,
        hint: `Restore the state that knows it, or choose another cluster name. If nobody needs it: ${removal(server)}`,
    });
}

const refusals: Record<Exclude<OrphanFate, "remove">, (server: Server) => NfvError> = {
    "in use": server =>
        new NfvError({
            code: "NOT_OURS",
            cause: `this cluster's server "${server.name}" (${server.id}, ${server.status}) lives, and Pulumi's state does not know it`,
            hint:
                "Was the state refreshed with the credentials of another project, or in another region? Restore the state that knows it: " +
                `${howToRestoreState}. ` +
                "If the cluster on it may be lost: " +
                `${removal(server)}, then run pulumi up again.`,
        }),
    unclear: server =>
        new NfvError({
            code: "NOT_OURS",
            cause: `this cluster's server "${server.name}" (${server.id}, ${server.status}) is not in Pulumi's state, and whether it is in use is not certain`,
            hint:
                `Look at it: openstack server show ${server.id}. If a killed run left it: ${removal(server)}, then run pulumi up again. ` +
                "If it is a node of the cluster, restore the state that knows it.",
        }),
};
