import type { SecurityGroupRule } from "./server-plan";

/** Who may connect from outside. */
export interface Openings {
    sshCidrs: readonly string[];
    apiCidrs: readonly string[];
    apiPorts: readonly number[];
    nodePortCidrs: readonly string[];
    /** Pods' networks, if their addresses appear in the nodes' network. */
    podCidrs: readonly string[];
}

const nodePorts = { from: 30000, to: 32767 };
const ssh = { from: 22, to: 22 };

/** A rule's key names its content and not its position: adding or removing a rule leaves the others alone. */
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

const nfs = { from: 2049, to: 2049 };

/** Who may connect to a storage server of its own. `clients`: networks; with version 3 of NFS the ports of mountd and statd are any. */
export function storageRules(
    sshCidrs: readonly string[],
    clients: readonly string[],
    nfs3: boolean,
): SecurityGroupRule[] {
    const opened = nfs3 ? {} : { protocol: "tcp", ports: nfs };
    return [
        { key: "group", from: { group: true } },
        { key: "icmp", protocol: "icmp", from: { cidr: "0.0.0.0/0" } },
        ...sshRules(sshCidrs),
        ...each(clients, cidr => ({ key: "nfs", ...opened, from: { cidr } }), /[^0-9a-zA-Z]/g),
    ];
}

/** Rules of the jump server, besides the cluster's. */
export function sshRules(cidrs: readonly string[]): SecurityGroupRule[] {
    return each(cidrs, cidr => ({ key: "ssh", protocol: "tcp", ports: ssh, from: { cidr } }));
}

/** We choose IPv4 for rules between members of a group. */
export function ethertypeOf(from: SecurityGroupRule["from"]): "IPv4" | "IPv6" {
    return "cidr" in from && from.cidr.includes(":") ? "IPv6" : "IPv4";
}

/**
 * Each network once: Neutron refuses a duplicate rule. `marks`: what keys have a dash for; one for each mark tells fd00::1 and fd00:1:: apart, and the
 * keys of a cluster's rules stay as they are.
 */
function each(
    cidrs: readonly string[],
    rule: (cidr: string) => SecurityGroupRule,
    marks = /[^0-9a-zA-Z]+/g,
): SecurityGroupRule[] {
    return [...new Set(cidrs)].map(cidr => {
        const { key, ...rest } = rule(cidr);
        return { key: `${key}-${cidr.replace(marks, "-")}`, ...rest };
    });
}
