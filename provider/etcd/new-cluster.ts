import { editDistance } from "../common/edit-distance";
import { NfvError } from "../common/errors";
import { isGivenUp, namesGivenUp } from "../contract/give-up";
import type { CheckFailure, Context } from "../contract/types";
import { type Loss, membersToAsk, newClusterVariable, type OtherMaster, whyNotForce } from "../kubeadm/lost-majority";
import { etcdData } from "../kubeadm/paths";
import { connectTo, machineKey, named, type Peer } from "../machine/machine";
import { machineStatusOf, type PeerStatus, statusOfPeers } from "../machine/machine-statuses";
import { programMasters } from "../machine/program-masters";
import { runAct } from "../steps";
import { askMembers, forceNewCluster, lookAtSurvivor } from "./force-new-cluster";

/*
 * The cure of a lost majority, done while Masters is applied: before any machine of the cluster is touched. The variable counts for one run, and a run
 * in which etcd works refuses it: it cannot stay switched on.
 */

/** What the variable asks for, whatever cluster it names; undefined: nothing. */
function asked(): string | undefined {
    const value = (process.env[newClusterVariable] ?? "").trim();
    return value === "" ? undefined : value;
}

/** Whether the variable names a master of this cluster, or was meant to, or is no whole name: then each cluster refuses it. */
export function isForced(clusterId: unknown): boolean {
    const value = asked();
    if (value === undefined) return false;
    const [, id] = /^([^/\s,]+)\/[^/\s,]+$/.exec(value) ?? [];
    return id === undefined || isMeant(id, String(clusterId));
}

/**
 * Whether an id is that of this cluster, perhaps misspelt, or without its last part. Several stacks may share the variable: the ids of two clusters
 * end in eight random digits, so they differ in more letters than a slip.
 */
function isMeant(id: string, clusterId: string): boolean {
    return editDistance(id.toLowerCase(), clusterId) <= 2 || id === clusterId.replace(/-[^-]*$/, "");
}

/** Whether the variable is set, for this cluster or another one. */
export function isAsked(): boolean {
    return asked() !== undefined;
}

/** The input that preview shows. */
export function forcedInput(clusterId: unknown): { forceNewCluster?: string } {
    return isForced(clusterId) ? { forceNewCluster: `etcd becomes a new cluster with the data of ${asked()}` } : {};
}

/** At preview and at `up`, before anything changes. */
export async function whyNotForced(clusterId: string, context: Context): Promise<CheckFailure[]> {
    if (!isForced(clusterId)) {
        context.warn(
            `${newClusterVariable} names ${asked()}, which is no master of ${clusterId}: nothing is forced here`,
        );
        return [];
    }
    try {
        const { name } = await survivorOf(clusterId, context);
        context.warn(
            `${newClusterVariable}: etcd becomes a cluster of ${name} alone, with what ${name} has. Changes that ${name} did not receive are lost. No other former master may start again with its data`,
        );
        return [];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return [{ property: "", reason: error.message }];
    }
}

/** Makes it so, if the variable says so. @throws QUORUM_AT_RISK and others before any change */
export async function forceIfAsked(clusterId: string, context: Context): Promise<void> {
    if (!isForced(clusterId)) return;
    const { name, address, connection, lost } = await survivorOf(clusterId, context);
    const { report, signal } = context;
    // without Vims and Cnfs, which have a colon
    const byName = namesGivenUp(clusterId).filter(each => !each.includes(":"));
    const givenUp = [...lost.map(member => member.peerUrl), ...byName];
    const lostNodes = [...new Set([...lost.map(member => member.name).filter(Boolean), ...byName])];
    const act = forceNewCluster({ name, address, givenUp, lostNodes });
    const said = await runAct(act, { node: name, clusterId, connection, report, signal });
    context.note(
        `${said.trim().split("\n").at(-1)}. When the cluster is whole again, delete ${etcdData}/before-new-cluster-* on ${name}`,
    );
}

/** The master that the variable names, after all that must be true for it. `lost`: the members that are lost. */
async function survivorOf(clusterId: string, context: Context) {
    const value = asked()!;
    const wrong = (cause: string, hint: string) =>
        new NfvError({ code: "INVALID_INPUT", step: newClusterVariable, cause: `${cause}; nothing was changed`, hint });
    const { wanted = [], former = [] } = programMasters(context, clusterId) ?? {};
    const masters = wanted.map(peer => `${clusterId}/${peer.name}`).join(", ");
    const survivor = wanted.find(peer => `${clusterId}/${peer.name}` === value);
    if (survivor === undefined)
        throw wrong(`${value} is no master of the program`, `Name one of them by its whole name: ${masters}`);
    const { name } = survivor;
    const address = survivor.address ?? survivor.connection.host;
    const connection = connectTo(context, survivor.connection);
    context.report(`look whether most masters of ${clusterId} are lost`);
    const facts = await named(name, () => machineStatusOf(connection, address));
    if (facts.memberOf !== clusterId || facts.authorityChanged)
        throw wrong(
            `${name} (${survivor.connection.host}) is ${facts.memberOf === clusterId ? "a member of another cluster by now" : "no member of this cluster"}`,
            `Name a master that is: ${masters}`,
        );
    const others = [...wanted, ...former].filter(peer => machineKey(peer) !== machineKey(survivor));
    const [survey, statuses] = await Promise.all([lookAtSurvivor(connection, name), statusOfPeers(context, others)]);
    const known = { name, survey, others: statuses.map((status, i) => asOther(status, others[i]!)) };
    const members = membersToAsk(known);
    const answers = survey.curl ? await askMembers(connection, name, members) : {};
    const loss: Loss = { ...known, clusterId, answers, isGivenUp: each => isGivenUp(clusterId, each) };
    const refusal = whyNotForce(loss);
    if (refusal !== undefined) throw refusal;
    return { name, address, connection, lost: members };
}

function asOther({ name, facts, reason, closed }: PeerStatus, { address, connection }: Peer): OtherMaster {
    const place = { name, address: address ?? connection.host };
    if (facts === undefined)
        return { ...place, ...(closed === undefined ? { silent: reason ?? "it does not answer" } : { closed }) };
    return { ...place, isMaster: facts.memberOf !== "" || facts.traces.includes(`${etcdData}/member`) };
}
