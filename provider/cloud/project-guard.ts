import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, failuresOf, text } from "../contract/values";
import { cloudClient, refuseOtherProject } from "../machine/server";
import { portsIn } from "../openstack/neutron";
import type { CloudSettings } from "../openstack/settings";

export interface ProjectGuardInputs extends CommonInputs {
    clusterName: string;
    cloud: CloudSettings;
    /** From CloudCheck: id of the project in which the cluster was created. */
    project?: string;
    /** From CloudCheck: the region in which the cluster was created. */
    region?: string;
    /** Network of ours that must not go while others are in it. */
    network?: OwnNetwork;
}

/** A network that others may join: its owner cannot know them. */
export interface OwnNetwork {
    /** Id in the cloud. */
    id: string;
    /** Names of our own ports. */
    ports: string[];
}

/** Inputs whose change is noted in the state: delete sees nothing else. `resourceUrn`: an alias renames it, see Program.has. */
export const compared: readonly string[] = ["clusterName", "cloud", "project", "region", "resourceUrn"];

/**
 * Depends on the servers, so it is deleted before them. It refuses credentials of another project or region: there, the
 * plug-in would find none of the servers and drop them from the state.
 */
export const projectGuard: ResourceType<ProjectGuardInputs, ProjectGuardInputs> = {
    check: (_olds, news) => ({ inputs: news, failures: failuresOf(news, { clusterName: text }) }),
    diff: (_id, olds, news) => ({
        changes: changed(olds, news, [...compared, "network"]).length > 0,
    }),
    create: async inputs => ({ id: `${inputs.clusterName}/project`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async (_id, state, context) => {
        if (runFacts(context).program.has(state.resourceUrn)) return;
        await refuseOtherProject({ ...state, name: state.clusterName }, context);
        if (state.network !== undefined) await refuseOthersIn(state.network, state, context);
    },
};

/** Neutron would refuse the network at the end, when server and route are gone. @throws NETWORK_IN_USE, CLOUD_… if the cloud cannot be asked */
async function refuseOthersIn(
    { id, ports: own }: OwnNetwork,
    { clusterName, cloud }: ProjectGuardInputs,
    context: Context,
): Promise<void> {
    const ports = await portsIn(cloudClient(context, cloud), id);
    const others = ports.filter(
        ({ name, device_owner }) => !device_owner.startsWith("network:") && !own.includes(name),
    );
    if (others.length === 0) return;
    const lines = others.map(({ id: port, name, fixed_ips }) =>
        [name === "" ? `port ${port}` : `port ${name}`, ...fixed_ips.map(({ ip_address }) => ip_address)].join(" "),
    );
    throw new NfvError({
        code: "NETWORK_IN_USE",
        node: clusterName,
        cause: `others are in its network:\n${lines.sort().join("\n")}`,
    });
}
