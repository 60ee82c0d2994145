import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { Context, ResourceType } from "../contract/types";
import { changed, failuresOf, text } from "../contract/values";
import { cloudClient, refuseOtherProject } from "../machine/server";
import { leftoverText, removeLeftovers } from "../openstack";
import type { CloudSettings } from "../openstack/settings";
import { compared, type ProjectGuardInputs } from "./project-guard";

export interface CloudLeftoversInputs extends ProjectGuardInputs {
    clusterId: string;
    /** `delete` or `list`. */
    policy: string;
}

export type CloudLeftoversState = CloudLeftoversInputs;

/**
 * What Kubernetes made in the cloud and still exists when the cluster is deleted. It must go before the networks, which
 * load balancers would block. With Nova, the servers depend on this resource, so it is deleted when no node runs any
 * more, and never together with a single server. With Heat, servers and networks are one stack, which is deleted after
 * this resource.
 */
export const cloudLeftovers: ResourceType<CloudLeftoversInputs, CloudLeftoversState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { clusterName: text, clusterId: text, policy: text }),
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId"]);
        return {
            changes: replaces.length > 0 || changed(olds, news, [...compared, "policy"]).length > 0,
            replaces,
            deleteBeforeReplace: true,
        };
    },
    create: async inputs => ({ id: `${inputs.clusterName}/leftovers`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async (_id, state, context) => {
        // Replaced, so the cluster goes on and needs its load balancers and volumes.
        if (runFacts(context).program.has(state.resourceUrn)) return;
        await refuseOtherProject({ ...state, name: state.clusterName }, context);
        await removeOrphans(state, context);
    },
};

export interface LeftoverSettings {
    /** For messages; several clusters may have the same name. */
    clusterName: string;
    /** Marks what is deleted. */
    clusterId: string;
    cloud: CloudSettings;
    policy: string;
    /** The servers are surely gone, so a leftover that is still in use will stay. */
    last?: boolean;
}

/** Deletes or lists what Kubernetes made. A cloud that does not answer stops nothing: the leftovers are reported. */
export async function removeOrphans(settings: LeftoverSettings, context: Context): Promise<void> {
    const { clusterName, clusterId, cloud, policy, last } = settings;
    try {
        context.report("look for volumes and load balancers that Kubernetes made");
        const { kept, problems } = await removeLeftovers(cloudClient(context, cloud), clusterId, {
            policy: policy === "delete" ? "delete" : "list",
            report: context.report,
        });
        // Volumes of servers that are deleted later are handled in a later call.
        const stay = last || policy !== "delete" ? kept : kept.filter(({ inUse }) => inUse === undefined);
        if (stay.length > 0) {
            const why = problems.length > 0 ? `\n${problems.join("\n")}` : "";
            context.warn(`${clusterName}: made by Kubernetes, still in the cloud:\n${leftoverText(stay)}${why}`);
        }
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${clusterName}: what Kubernetes made in the cloud was not looked for: ${error.reason}`);
    }
}
