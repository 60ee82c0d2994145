import { isIP } from "node:net";
import { type Cidr, cidrProblem, contains, overlap, parseCidr } from "../../provider/common/cidr";
import type { KubernetesClusterArgs } from "../args/args";
import { cniOf, defaults } from "../common/plain-args";
import { members } from "../infrastructure/hosts/members";
import { cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import { serverGroups } from "../infrastructure/openstack/plan/server-groups";
import { allMachines } from "./machine-rules";
import { type ClusterRule, oneOf, type Problem } from "./rule";

const cnis = ["bridge", "flannel", "manifests", "none"];

export const networks: ClusterRule = args => {
    const given = {
        "network.podCidr": args.network?.podCidr ?? defaults.podCidr,
        "network.serviceCidr": args.network?.serviceCidr ?? defaults.serviceCidr,
    };
    const parsed = Object.entries(given).map(([place, text]) => ({ place, text, cidr: parseCidr(text) }));
    const broken = parsed.flatMap(({ place, text }): Problem[] => {
        const problem = cidrProblem(text, "10.244.0.0/16");
        return problem === undefined ? [] : [[place, problem]];
    });
    if (broken.length > 0) return broken;
    const [pod, service] = parsed.map(({ cidr }) => cidr!) as [NonNullable<ReturnType<typeof parseCidr>>, never];
    const problems = parsed.flatMap(({ place, cidr }) => sizeProblems(place as "network.podCidr", cidr!));
    if (overlap(pod, service)) {
        problems.push([
            "network.podCidr",
            `${given["network.podCidr"]} overlaps network.serviceCidr ${given["network.serviceCidr"]}`,
        ]);
    }
    const perNode = pod.version === 4 ? 24 : 64;
    const room = pod.prefix > perNode ? 0 : 2 ** (perNode - pod.prefix);
    const nodes = cloudOf(args)
        ? serverGroups(args).reduce((sum, { count }) => sum + count, 0)
        : members(args as KubernetesClusterArgs).length;
    if (room < nodes) {
        problems.push(["network.podCidr", `has room for ${room} nodes (a /${perNode} each), there are ${nodes}`]);
    }
    const vip = args.controlPlane?.endpoint?.vip?.address;
    const addresses = [
        ...allMachines(args).map(machine => ({ place: `${machine.place}.address`, address: machine.address })),
        { place: "controlPlane.endpoint.vip.address", address: vip },
    ];
    for (const { place, address } of addresses) {
        if (address === undefined || isIP(address) === 0) continue;
        const inside = parsed.find(({ cidr }) => contains(cidr!, address));
        if (inside) problems.push([place, `${address} lies in ${inside.place} ${inside.text}`]);
    }
    return problems;
};

/** kubeadm's limits of an IPv4 network: the shortest and the longest prefix. A pod network has 2^16 networks of nodes at most. */
const prefixes = {
    "network.podCidr": { from: 8, to: 24, why: "a node gets a /24 of it, and there may be 65536 of those" },
    "network.serviceCidr": { from: 12, to: 28, why: "Kubernetes takes no larger and no smaller ones" },
};

function sizeProblems(place: keyof typeof prefixes, { version, prefix }: Cidr): Problem[] {
    const { from, to, why } = prefixes[place];
    if (version !== 4 || (prefix >= from && prefix <= to)) return [];
    return [[place, `/${prefix} is not allowed: /${from} to /${to} (${why})`]];
}

export const cni: ClusterRule = args => {
    const kind = cniOf(args);
    const manifests = args.network?.cniManifests ?? [];
    if (!cnis.includes(kind)) return [oneOf("network.cni", kind, cnis)];
    if (kind === "manifests" && manifests.length === 0)
        return [["network.cniManifests", "is required with cni: manifests"]];
    return kind !== "manifests" && manifests.length > 0
        ? [["network.cniManifests", `has no meaning with cni: ${kind}`]]
        : [];
};
