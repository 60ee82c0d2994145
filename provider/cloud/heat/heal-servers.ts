import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { cloudClient } from "../../machine/server";
import { getServer } from "../../openstack";
import { deleteServer, isDeleted } from "../../openstack/nova";
import { dueHeal } from "../../operation/heals";
import type { CloudStartInputs, CloudStartState } from "../cloud-start-inputs";
import { removeNodes } from "../remove-nodes";
import { refuseHealWhileLeaving, requireMajority } from "./mark-lost";
import { serverIds, stackOf } from "./stack-servers";

type Seen = Partial<CloudStartInputs>;

/** Nodes for which this run asks Heat for a new server, as check sees it. */
export function serverHealsOf(olds: Seen, news: CloudStartInputs): string[] {
    const due = dueHeal(olds, news);
    return due?.cure === "server" ? due.nodes : [];
}

/** The same from what check has stored: it does not store the wish. */
function newlyNumbered(olds: Seen, news: CloudStartInputs): string[] {
    const last = ({ heals }: Seen, name: string) => heals?.servers?.[name]?.at(-1);
    return Object.keys(news.heals?.servers ?? {}).filter(name => last(news, name) !== last(olds, name));
}

/** The state as it would be if a refresh had found these servers lost: what replaces them is made like a new one. */
export function asLost<State extends Seen>(olds: State, nodes: readonly string[], ids?: Map<string, string>): State {
    if (nodes.length === 0) return olds;
    const missing = Object.fromEntries(nodes.map(name => [name, ids?.get(name) ?? ""]));
    return { ...olds, missing: { ...olds.missing, ...missing } };
}

/**
 * Nodes leave the cluster, then their servers are deleted: from then on they are lost servers, which Heat makes again. All of this may have been
 * done before by a run that was killed.
 * @returns the state with these servers as lost
 * @throws QUORUM_AT_RISK, DRAIN_FAILED, NO_CONTROL_PLANE before a server is deleted; SERVER_FAILED
 */
export async function loseServers(
    olds: CloudStartState,
    news: CloudStartInputs,
    context: Context,
): Promise<CloudStartState> {
    const asked = newlyNumbered(olds, news);
    const stack = asked.length === 0 ? undefined : await stackOf(olds.spec, context);
    if (stack === undefined) return olds;
    const cloud = cloudClient(context, olds.spec.cloud);
    const ids = await serverIds(cloud, stack, olds.spec);
    const there = asked.filter(name => ids.has(name));
    // What is asked again when servers are marked as lost: now nothing is lost yet.
    const lost = [...new Set([...Object.keys(olds.missing ?? {}), ...there])];
    refuseHealWhileLeaving(olds, news, lost);
    await requireMajority(olds, lost, stack, context);
    await removeNodes(olds, withOnly(olds, news, there), context);
    for (const name of there) {
        const id = ids.get(name)!;
        if (isDeleted(await getServer(cloud, id))) continue;
        context.report(`delete the server of ${name} (${id}): it gets a new one`);
        if (!(await deleteServer(cloud, id, context.signal))) throw notDeleted(name, id);
    }
    return asLost(olds, there, ids);
}

/** The program in which these nodes leave, and no others: their time comes later. */
function withOnly(olds: CloudStartState, news: CloudStartInputs, leaving: readonly string[]): CloudStartInputs {
    const nodes = Object.fromEntries(
        Object.entries({ ...olds.spec.nodes, ...news.spec.nodes }).filter(([name]) => !leaving.includes(name)),
    );
    return { ...news, spec: { ...news.spec, nodes } };
}

function notDeleted(name: string, id: string): NfvError {
    return new NfvError({
        code: "SERVER_FAILED",
        node: name,
        step: "heal",
        cause: `its server (${id}) is still there five minutes after its deletion was asked for`,
        hint: `openstack server show ${id} says why. Delete it (openstack server delete --wait ${id}), then run pulumi up again.`,
    });
}
