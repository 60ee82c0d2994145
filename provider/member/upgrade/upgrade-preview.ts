import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import { askTogether, lastAnswer } from "../../contract/questions";
import type { CheckFailure, Context } from "../../contract/types";
import { hasUnknown } from "../../contract/values";
import { minorOf, needsNewCgroups } from "../../kubernetes/releases";
import { connectTo, type Peer } from "../../machine/machine";
import { readyControlPlaneNode } from "../../machine/machine-statuses";
import { healedInRun } from "../../operation/healed-in-run";
import type { Connection, SshTarget } from "../../ssh";
import type { PoolInput } from "../rolling";
import { lookAtVersion, machineProblem } from "./node-version";
import { fullNodes, lookAtReadiness, problemsOf, runtimeWarnings, suspectsOf } from "./readiness";
import { versionChange } from "./upgrade";
import { moveBetween, refusalOf } from "./versions";

interface Inputs extends PoolInput {
    spec: Pick<NodeSpec, "clusterId" | "name" | "role" | "drain" | "runtimeFromBundle">;
    controlPlane: readonly Peer[];
    connection: SshTarget;
}

/** What preview says of a node that moves to another version; none if it does not. Pure. */
export function upgradeNotes(olds: object, news: Inputs): string[] {
    const change = versionChange(olds, news);
    if (change === undefined || refusalOf(change.from, change.to) !== undefined) return [];
    const { from, to } = change;
    const what = moveBetween(from, to) === "back" ? "goes back in place" : "upgrade in place";
    return [`${what}: Kubernetes ${from} to ${to}, ${turnOf(news)}; ${drained(news)}`];
}

/**
 * What preview says of a worker that the program holds back. Nothing while its machine is replaced: the engine then asks about the former inputs,
 * which may have held it.
 */
export function heldNotes(olds: { hostId?: string }, news: Inputs & { hostId?: string }): string[] {
    const change = versionChange(olds, news);
    if (change === undefined || news.hostId !== olds.hostId) return [];
    const { from, to } = change;
    return [`stays at Kubernetes ${from} for now, and moves to ${to} when kubernetes.upgrade.pauseAfter lets it`];
}

/** What preview says of a worker that was held back, and is not any more. Pure. */
export const releasedNote = (olds: { held?: boolean }, news: Inputs): string[] =>
    olds.held === true ? upgradeNotes(olds, news) : [];

/** "after m1 and m2". */
export function turnOf({ spec: { name, role }, controlPlane, pool }: Inputs): string {
    const names = Array.isArray(controlPlane) ? controlPlane.map(peer => peer.name) : [];
    if (role === "controlPlane") {
        const at = names.indexOf(name);
        return at <= 0 ? "first" : `control-plane node ${at + 1} of ${names.length}, after ${names[at - 1]}`;
    }
    const { name: own = "", maxUnavailable = 1 } = pool ?? {};
    const group = own === "" ? "workers" : `workers of pool ${own}`;
    return `after the control plane, ${group} ${maxUnavailable === 1 ? "one after another" : `at most ${maxUnavailable} at once`}`;
}

export function drained({ spec: { drain } }: { spec: Pick<NodeSpec, "drain"> }): string {
    const { timeoutSeconds, policy } = drain ?? {};
    if (typeof timeoutSeconds !== "number") return "drained";
    const then =
        { evict: "or it waits as long again", delete: "or its pods are deleted" }[policy] ?? "or the run stops";
    return `drained within ${timeoutSeconds} s, ${then}`;
}

/** Only a change of version that the versions alone do not forbid. */
export function needsLookBeforeUpgrade(olds: object, news: Inputs): boolean {
    const change = versionChange(olds, news);
    if (change === undefined || refusalOf(change.from, change.to) !== undefined) return false;
    return !hasUnknown([news.spec.clusterId, news.spec.drain, news.controlPlane]);
}

/** What the cluster has against the change. One that does not answer is asked again before its first node moves. */
export async function lookBeforeUpgrade(olds: object, news: Inputs, context: Context): Promise<CheckFailure[]> {
    const { from, to } = versionChange(olds, news)!;
    const { spec, controlPlane } = news;
    const question = `upgrade of ${spec.clusterId} to ${to}, ${spec.drain.policy}`;
    // The nodes ask the cluster once, and the first one tells.
    const isFirst = lastAnswer(context, question) === undefined;
    const [ofCluster, ofMachine] = await Promise.all([
        isFirst ? askTogether(context, question, ask) : [],
        ownProblem(),
    ]);
    const problems = [...ofCluster, ...ofMachine];
    return problems.map(reason => ({
        property: "",
        reason: `${spec.name}: UPGRADE_REFUSED: kubernetes.version ${from} to ${to}: ${reason}. Nothing was touched`,
    }));

    /** Only where a version wants another machine than the former one. */
    async function ownProblem(): Promise<string[]> {
        if (needsNewCgroups(from) || !needsNewCgroups(to)) return [];
        try {
            const seen = await lookAtVersion(connectTo(context, news.connection, olds), spec.name);
            return [machineProblem(seen, to)].filter(each => each !== undefined);
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.note(`whether ${spec.name} can have Kubernetes ${to} was not found out: ${error.reason}`);
            return [];
        }
    }

    async function ask(): Promise<string[]> {
        let master: Connection;
        try {
            ({ connection: master } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any"));
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.note(`whether the cluster can be upgraded was not found out: ${error.reason}`);
            return [];
        }
        const addresses = controlPlane.map(({ address, connection }) => address ?? connection.host);
        const deprecated = minorOf(from) !== minorOf(to);
        const found = await lookAtReadiness(master, { addresses, deprecated, disks: true, signal: context.signal });
        const full = fullNodes(found);
        if (full.length > 0)
            context.warn(
                `${full.join(", ")}: the disk is nearly full. With less than 15 % free kubelet deletes images that no container uses yet, also those of ${to}; with less than 10 % it ends pods. Free space first`,
            );
        const { runtimeFromBundle } = spec;
        if (!runtimeFromBundle) for (const warning of runtimeWarnings(found, to)) context.warn(warning);
        const suspects = suspectsOf(found);
        const healed = healedInRun(context, spec.clusterId).filter(name => suspects.includes(name));
        if (healed.length > 0)
            context.note(
                `this run heals ${healed.join(", ")}; nodes that cannot move to ${to} before do with the next one`,
            );
        const moving = [...healed, ...(await halfwayAmong(suspects, controlPlane, context))];
        return problemsOf(found, { to, policy: spec.drain.policy, moving, runtimeFromBundle });
    }
}

/** Masters whose move a stopped run left unfinished. One that cannot be asked is none: what is wrong with it then counts. */
async function halfwayAmong(names: readonly string[], peers: readonly Peer[], context: Context): Promise<string[]> {
    const suspects = peers.filter(({ name }) => names.includes(name));
    const asked = suspects.map(async ({ name, connection }) => {
        try {
            const { unfinished } = await lookAtVersion(connectTo(context, connection), name);
            return unfinished === undefined ? [] : [name];
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            return [];
        }
    });
    return (await Promise.all(asked)).flat();
}
