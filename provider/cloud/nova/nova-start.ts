import { NfvError } from "../../common/errors";
import { runFacts } from "../../contract/run-facts";
import type { Context } from "../../contract/types";
import { cloudClient, refuseOtherProject } from "../../machine/server";
import { isDeleted, listServers } from "../../openstack/nova";
import { removeOrphans } from "../cloud-leftovers";
import type { CloudStartState } from "../cloud-start-inputs";
import { refusedServerChanges } from "../server-changes";
import type { InfrastructureStart } from "../start-methods";

/** Each server is a resource of its own: the engine orders deletions, and a refresh shows which server is gone. */
export const novaStart: InfrastructureStart = {
    check: (olds, news) => ({ inputs: news, failures: refusedServerChanges(olds, news) }),
    read: async (id, state, context) => {
        await refuseOtherProject(placeOf(state), context);
        if (state.hooks !== undefined) await noteServers(state, context);
        return { id, props: state };
    },
    remove: async (state, context) => {
        await refuseOtherProject(placeOf(state), context);
        await removeLeftovers(state, context);
    },
};

/** A lost server is a heal, which has hooks. A cloud that does not answer says nothing of servers. */
async function noteServers({ spec: { clusterId, cloud } }: CloudStartState, context: Context): Promise<void> {
    try {
        const servers = await listServers(cloudClient(context, cloud));
        const there = servers.filter(server => !isDeleted(server)).map(({ id }) => id);
        runFacts(context).seen.servers.set(clusterId, new Set(there));
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
    }
}

export const placeOf = ({ spec: { clusterName: name, cloud }, project, region }: CloudStartState) => ({
    name,
    cloud,
    project,
    region,
});

/** What Kubernetes made in the cloud and what the servers still used until now. */
export function removeLeftovers({ spec }: CloudStartState, context: Context): Promise<void> {
    return removeOrphans({ ...spec, policy: spec.leftovers, last: true }, context);
}
