import { parseCidr } from "../../provider/common/cidr";
import { workloadDefaults } from "../args/workload-defaults";
import type { WorkloadInputs } from "../args/workload-inputs";
import type { Problem } from "./rule";

/** Bits of a node's share, where nothing else is set: the default of kube-controller-manager. */
const usualMask = { 4: 24, 6: 64 };
/** kubeadm allows so many bits between the network and a node's share. */
const mostBits = 16;

type Sized = Pick<WorkloadInputs, "network" | "controlPlane" | "pools" | "kubeadm">;

/**
 * Each node gets a share of the pods' network: kubeadm refuses a network that is smaller than one, and with the pod networks that we make a node without a
 * share never becomes Ready. A replaced machine needs one more meanwhile.
 */
export function podNetworkSize({ network = {}, controlPlane, pools = {}, kubeadm }: Sized): Problem[] {
    const { podCidr, cni } = { ...workloadDefaults.network, ...network };
    const cidr = parseCidr(podCidr);
    if (cidr === undefined) return [];
    const mask = maskOf(kubeadm?.clusterConfiguration, cidr.version) ?? usualMask[cidr.version];
    const at = "network.podCidr";
    if (cidr.prefix > mask) return [[at, `${podCidr} is smaller than the share of one node, a /${mask}`]];
    if (mask - cidr.prefix > mostBits)
        return [[at, `${podCidr} is too large for nodes with a /${mask} each: at least a /${mask - mostBits}`]];
    const most = 2 ** (mask - cidr.prefix);
    const needed = nodesOf({ controlPlane, pools });
    if (needed <= most || !["bridge", "flannel"].includes(cni)) return [];
    return [
        [
            at,
            `${podCidr} has room for ${most} nodes, a /${mask} each, and ${needed} may be there while machines are replaced`,
        ],
    ];
}

function nodesOf({ controlPlane, pools = {} }: Sized): number {
    const ofPools = Object.values(pools).map(({ replicas = 1, autoscale, maxUnavailable = 0 }) => {
        const surge = /^0%?$/.test(`${maxUnavailable}`) ? 1 : 0;
        return (autoscale?.max ?? replicas) + surge;
    });
    return (controlPlane?.replicas ?? 1) + 1 + ofPools.reduce((sum, each) => sum + each, 0);
}

interface Settings {
    controllerManager?: { extraArgs?: { name?: string; value?: string }[] | Record<string, string> };
}

/** The share that the user's own kubeadm settings ask for. */
function maskOf(settings: unknown, version: 4 | 6): number | undefined {
    const { extraArgs = [] } = (settings as Settings | undefined)?.controllerManager ?? {};
    const flags = Array.isArray(extraArgs)
        ? extraArgs
        : Object.entries(extraArgs).map(([name, value]) => ({ name, value }));
    const names = ["node-cidr-mask-size", `node-cidr-mask-size-ipv${version}`];
    const given = flags.find(({ name = "" }) => names.includes(name))?.value;
    return given === undefined ? undefined : Number(given);
}
