import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { hasUnknown, same } from "../../contract/values";
import { cloudClient, refuseOtherProject } from "../../machine/server";
import { isUnfinished, type LiveStack, liveStack } from "../../openstack";
import { hashTag } from "../../openstack/requirements";
import type { CloudStartInputs } from "../cloud-start-inputs";
import { placeOf, removeLeftovers } from "../nova/nova-start";
import { removeNodes } from "../remove-nodes";
import { known, refusedServerChanges } from "../server-changes";
import type { InfrastructureStart } from "../start-methods";
import { asLost, loseServers, serverHealsOf } from "./heal-servers";
import { type LostServers, lostServers } from "./lost-servers";
import { madeNow, madeOf, serverNames, withIdsOf } from "./made-of";
import { madeOfLiving } from "./made-of-living";
import { markLost } from "./mark-lost";
import { deleteOrphan, isOfOthers, stackName, stackOf, topResources } from "./stack-servers";

/**
 * For Pulumi, a stack is one resource. It is updated before Nodes are deleted, so this resource removes leaving nodes
 * from the cluster first. It also tells Heat which servers are lost.
 */
export const heatStart: InfrastructureStart = {
    leavesFirst: true,
    check: (olds, news) => {
        const seen = withHeals(olds, news);
        return { inputs: planned(seen, news), failures: refusedServerChanges(seen, news) };
    },
    checkInCloud: async (olds, news, context) => {
        const [before, after] = [known(withHeals(olds, news)), known(news)];
        const fresh = madeNow(before, after);
        if (fresh.length === 0 || hasUnknown(after.spec.cloud)) return { failures: [] };
        try {
            const inputs = await withIdsOf(cloudClient(context, after.spec.cloud), madeOf(before, after), fresh);
            return { failures: [], inputs };
        } catch (error) {
            // CloudCheck reports what is wrong with the cloud.
            if (error instanceof NfvError) return { failures: [] };
            throw error;
        }
    },
    prepare: async (olds, news, context) => {
        // Another project has no such stack, and nodes would seem to be gone already.
        await refuseOtherProject(placeOf(olds), context);
        const marked = await markLost(await loseServers(olds, news, context), news, context);
        await removeNodes(olds, news, context);
        return { marked, takenOut: await takenOut(olds, news, context) };
    },
    read: async (id, state, context) => {
        await refuseOtherProject(placeOf(state), context);
        const missing = await lostServers(state, context);
        const found = { ...state, ...(await learned(state, missing, context)), missing };
        if (same(found, { ...state, missing: state.missing ?? {} })) return { id, props: state };
        // Also as inputs: the next check() sees only inputs.
        return { id, props: found, inputs: found };
    },
    remove: async (state, context) => {
        await refuseOtherProject(placeOf(state), context);
        await deleteOrphan(state.spec, context);
        await removeLeftovers(state, context);
    },
};

/** What the cloud says of the stack; nothing where it cannot be asked, and lostServers has warned of that. */
async function learned(
    state: CloudStartInputs,
    missing: LostServers,
    context: Context,
): Promise<Pick<CloudStartInputs, "images" | "flavors" | "retries">> {
    const stack = await liveStack(cloudClient(context, state.spec.cloud), stackName(state.spec)).catch(ifNotAsked);
    if (stack === undefined || isOfOthers(state.spec, stack)) return {};
    const cloud = cloudClient(context, state.spec.cloud);
    const resources = await topResources(cloud, stack).catch(ifNotAsked);
    const made = resources && (await madeOfLiving(state, { cloud, stack, resources }, missing).catch(ifNotAsked));
    const toFinish =
        stack.state !== "IN_PROGRESS" && (wasRejected(state, stack) || isUnfinished(stack, resources ?? []));
    return { ...made, ...(toFinish && { retries: (state.retries ?? 0) + 1 }) };
}

/** Whether Heat was never asked for what the state has: it rejected the request, and the refresh makes the engine forget that, too. */
function wasRejected({ stackHash }: CloudStartInputs, { tags }: LiveStack): boolean {
    const asked = tags.find(tag => tag.startsWith(`${hashTag}=`));
    return stackHash !== undefined && asked !== undefined && asked !== `${hashTag}=${stackHash}`;
}

function ifNotAsked(error: unknown): undefined {
    if (!(error instanceof NfvError)) throw error;
}

/**
 * Servers of nodes that were taken out of the cluster, also by earlier runs, and what was made for them: Heat may delete them. By id,
 * because a later node may get the same name.
 */
async function takenOut(
    olds: CloudStartInputs,
    news: CloudStartInputs,
    context: Context,
): Promise<Record<string, string>> {
    const partsOf = ({ spec }: CloudStartInputs) =>
        Object.values(known({ spec }).spec.nodes).flatMap(({ stack }) =>
            stack === undefined ? [] : [stack.server, ...(stack.parts ?? [])],
        );
    const wanted = new Set(partsOf(news));
    const leavers = new Set(partsOf(olds));
    const earlier = olds.takenOut ?? {};
    if ([...leavers, ...Object.keys(earlier)].every(name => wanted.has(name))) return {};
    const stack = await stackOf(olds.spec, context);
    if (stack === undefined) return {};
    const resources = await topResources(cloudClient(context, olds.spec.cloud), stack);
    const left = resources.filter(
        ({ resource_name: name, physical_resource_id: id }) =>
            !wanted.has(name) && id !== "" && (leavers.has(name) || earlier[name] === id),
    );
    return Object.fromEntries(left.map(each => [each.resource_name, each.physical_resource_id]));
}

/** A server that is healed is made again like a lost one. */
const withHeals = <State extends Partial<CloudStartInputs>>(olds: State, news: CloudStartInputs): State =>
    asLost(olds, serverHealsOf(olds, news));

/** The inputs plus what the stack that depends on this resource must know. */
function planned(olds: Partial<CloudStartInputs>, news: CloudStartInputs): CloudStartInputs {
    const lost = new Set(Object.keys(olds.missing ?? {}));
    const generation = (name: string) => (olds.generations?.[name] ?? 1) + (lost.has(name) ? 1 : 0);
    return {
        ...news,
        ...(olds.retries !== undefined && { retries: olds.retries }),
        generations: Object.fromEntries(serverNames(known(news).spec).map(name => [name, generation(name)])),
        ...madeOf(known(olds), known(news)),
    };
}
