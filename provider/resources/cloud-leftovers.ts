import type { CloudSettings } from "../openstack/settings";
import type { CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, text } from "./values";

export interface CloudLeftoversInputs extends CommonInputs {
    clusterName: string;
    clusterId: string;
    cloud: CloudSettings;
    /** `delete` or `list`. */
    policy: string;
}

export type CloudLeftoversState = CloudLeftoversInputs;

/**
 * What Kubernetes made in the cloud and is still there when the cluster goes. Made after the networks, before the machines: so it is
 * deleted when no node runs any more, and before the networks, which load balancers would hold fast.
 */
export const cloudLeftovers: ResourceType<CloudLeftoversInputs, CloudLeftoversState> = {
    check: (_olds, news) => ({ inputs: news, failures: failuresOf(news, { clusterName: text, policy: text }) }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId", "clusterName"]);
        return {
            changes: replaces.length > 0 || changed(olds, news, ["cloud", "policy"]).length > 0,
            replaces,
            deleteBeforeReplace: true,
        };
    },
    create: async inputs => ({ id: `${inputs.clusterName}/leftovers`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async () => {},
};
