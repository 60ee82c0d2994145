import type { SecurityGroupRule } from "./server-plan";

/** Who may reach what. */
export interface Openings {
    sshCidrs: readonly string[];
    apiCidrs: readonly string[];
    apiPorts: readonly number[];
    nodePortCidrs: readonly string[];
    /** Addresses of pods, where they are seen in the nodes' network. */
    podCidrs: readonly string[];
}

const nodePorts = { from: 30000, to: 32767 };
const ssh = { from: 22, to: 22 };

/** Keys hold what a rule is about, not its place in a list: a rule that comes or goes leaves the others alone. */
export function securityRules(openings: Openings): SecurityGroupRule[] {
    const { sshCidrs, apiCidrs, apiPorts, nodePortCidrs, podCidrs } = openings;
    return [
        { key: "group", from: { group: true } },
        { key: "vrrp", protocol: "112", from: { group: true } },
        { key: "icmp", protocol: "icmp", from: { cidr: "0.0.0.0/0" } },
        ...sshRules(sshCidrs),
        ...apiPorts.flatMap(port =>
            each(apiCidrs, cidr => ({
                key: `api-${port}`,
                protocol: "tcp",
                ports: { from: port, to: port },
                from: { cidr },
            })),
        ),
        ...["tcp", "udp"].flatMap(protocol =>
            each(nodePortCidrs, cidr => ({ key: `nodeport-${protocol}`, protocol, ports: nodePorts, from: { cidr } })),
        ),
        ...each(podCidrs, cidr => ({ key: "pods", from: { cidr } })),
    ];
}

/** Of the jump server, beside the cluster's. */
export function sshRules(cidrs: readonly string[]): SecurityGroupRule[] {
    return each(cidrs, cidr => ({ key: "ssh", protocol: "tcp", ports: ssh, from: { cidr } }));
}

/** Rules between members of a group are ours to choose: IPv4. */
export function ethertypeOf(from: SecurityGroupRule["from"]): "IPv4" | "IPv6" {
    return "cidr" in from && from.cidr.includes(":") ? "IPv6" : "IPv4";
}

/** Each network once: Neutron refuses a rule that it has. */
function each(cidrs: readonly string[], rule: (cidr: string) => SecurityGroupRule): SecurityGroupRule[] {
    return [...new Set(cidrs)].map(cidr => {
        const { key, ...rest } = rule(cidr);
        return { key: `${key}-${cidr.replace(/[^0-9a-zA-Z]+/g, "-")}`, ...rest };
    });
}
