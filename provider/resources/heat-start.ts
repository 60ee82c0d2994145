import { NfvError } from "../errors";
import type { CloudStartInputs } from "./cloud-start-inputs";
import { lostServers, markLost } from "./lost-servers";
import { madeNow, madeOf, serverNames, withIdsOf } from "./made-of";
import { placeOf, removeLeftovers } from "./nova-start";
import { removeNodes } from "./remove-nodes";
import { cloudClient, refuseOtherProject } from "./server";
import { known, refusedServerChanges } from "./server-changes";
import { deleteOrphan } from "./stack-servers";
import type { InfrastructureStart } from "./start-methods";
import { hasUnknown, same } from "./values";

/**
 * For Pulumi, a stack is one resource. It is updated before Nodes are deleted, so this resource removes leaving nodes
 * from the cluster first. It also tells Heat which servers are lost.
 */
export const heatStart: InfrastructureStart = {
    leavesFirst: true,
    check: (olds, news) => ({ inputs: planned(olds, news), failures: refusedServerChanges(olds, news) }),
    checkInCloud: async (olds, news, context) => {
        const [before, after] = [known(olds), known(news)];
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
        const marked = await markLost(olds, news, context);
        await removeNodes(olds, news, context);
        return { marked, takenOut: takenOut(olds, news) };
    },
    read: async (id, state, context) => {
        await refuseOtherProject(placeOf(state), context);
        const missing = await lostServers(state, context);
        if (same(missing, state.missing ?? {})) return { id, props: state };
        const found = { ...state, missing };
        // Also as inputs: the next check() sees only inputs.
        return { id, props: found, inputs: found };
    },
    remove: async (state, context) => {
        await refuseOtherProject(placeOf(state), context);
        await deleteOrphan(state.spec, context);
        await removeLeftovers(state, context);
    },
};

/** Servers of nodes that were taken out of the cluster, also by earlier runs: Heat may delete them. */
function takenOut(olds: CloudStartInputs, news: CloudStartInputs): string[] {
    const serversOf = ({ spec }: CloudStartInputs) =>
        Object.values(known({ spec }).spec.nodes).flatMap(({ stack }) => stack?.server ?? []);
    const wanted = new Set(serversOf(news));
    return [...new Set([...(olds.takenOut ?? []), ...serversOf(olds)])].filter(name => !wanted.has(name)).sort();
}

/** The inputs plus what the stack that depends on this resource must know. */
function planned(olds: Partial<CloudStartInputs>, news: CloudStartInputs): CloudStartInputs {
    const lost = new Set(Object.keys(olds.missing ?? {}));
    const generation = (name: string) => (olds.generations?.[name] ?? 1) + (lost.has(name) ? 1 : 0);
    return {
        ...news,
        generations: Object.fromEntries(serverNames(known(news).spec).map(name => [name, generation(name)])),
        ...madeOf(known(olds), known(news)),
    };
}
