import type { EndpointSpec, HostSpec } from "../common/model";
import { type NftRules, replaced, unitPath } from "../shell/nft-rules";
import { interfacePlaceholder } from "./keepalived-config";
import { formerLines, formerVips } from "./side-by-side";

const table = "inet pulumi-nfv-vrrp";
/** Table for an endpoint that is still served besides the wanted one. */
const formerTable = (virtualRouterId: number) => `${table}-former-${virtualRouterId}`;

export const guardRulesPath = "/etc/pulumi-nfv/virtual-address.nft";
export const guardService = "pulumi-nfv-virtual-address.service";
export const guardDropInPath = "/etc/systemd/system/nftables.service.d/pulumi-nfv.conf";
export const guardTable: NftRules = {
    table,
    description: "Only control-plane nodes take the virtual address of the Kubernetes API",
    rules: guardRulesPath,
    service: guardService,
    dropIn: guardDropInPath,
};
export const guardUnitPath = unitPath(guardTable);

/** Constants of remove-guard.sh. */
export const guardConstants = {
    GUARD_TABLE: table.slice("inet ".length),
    GUARD_RULES: guardRulesPath,
    GUARD_SERVICE: guardService,
    GUARD_UNIT: guardUnitPath,
    GUARD_DROP_IN: guardDropInPath,
};

/**
 * Rules of nftables for each node of a cluster with a virtual address: keepalived accepts adverts from its peers only.
 *
 * - A control-plane node accepts an advert from the address of a peer, on the interface of the virtual address, with a
 *   TTL of 255. A pod's packet fails this: it comes from another interface, or was forwarded, which lowers its TTL, or
 *   comes out of a tunnel. The rules also cover pod networks that bypass iptables: they hand packets for the node
 *   itself to its network stack.
 * - No node forwards or sends other adverts to these addresses. This stops pods that use the host's network and a false
 *   source address. It does not stop packet sockets (AF_PACKET): only the cloud's port security can do that.
 *
 * The table is separate and has the first priority, so kube-proxy and the pod network do not change it. The rules match
 * this router id and these addresses only; other VRRP traffic passes.
 */
export function vrrpGuard(spec: HostSpec): string {
    const formers = formerVips(spec).map(vip => rulesFor(vip, formerTable(vip.virtualRouterId), spec).trimEnd());
    return rulesFor(spec.endpoint.vip!, table, spec) + formerLines(formers);
}

function rulesFor(
    vip: NonNullable<EndpointSpec["vip"]>,
    name: string,
    { address, role, masters }: Pick<HostSpec, "address" | "role" | "masters">,
): string {
    const isMaster = role === "controlPlane";
    const addresses = masters.map(master => master.address);
    const peers = addresses.filter(other => other !== address);
    // Without peers keepalived listens to multicast, so drop what other machines send there.
    const guarded = [...addresses, vip.address, ...(peers.length === 0 ? ["224.0.0.18", "ff02::12"] : [])];
    const accepted =
        isMaster && peers.length > 0
            ? {
                  arriving: families(peers, (ip, list) => [
                      `iifname "${vip.interface || interfacePlaceholder}" ${ip} saddr { ${list} } ${ip} daddr ${address} ${hops[ip]} 255 accept`,
                  ]),
                  leaving: families(peers, (ip, list) => [`${ip} saddr ${address} ${ip} daddr { ${list} } accept`]),
              }
            : { arriving: [], leaving: isMaster ? ["accept"] : [] };
    const dropped = families(guarded, (ip, list) => [`${ip} daddr { ${list} } counter drop`]);
    const chain = (title: string, hook: string, rules: string[]) => `
    chain ${title} {
        type filter hook ${hook} priority -350; policy accept;
        meta l4proto != 112 accept
        @th,8,8 != ${vip.virtualRouterId} accept
${rules.map(rule => `        ${rule}\n`).join("")}    }
`;
    return replaced(
        name,
        chain("arriving", "prerouting", [...accepted.arriving, ...dropped]) +
            chain("leaving", "output", [...accepted.leaving, ...dropped]),
    );
}

type Ip = "ip" | "ip6";
const hops: Record<Ip, string> = { ip: "ip ttl", ip6: "ip6 hoplimit" };

/** The rules for each address family that occurs. */
function families(addresses: readonly string[], rules: (ip: Ip, list: string) => string[]): string[] {
    const of = (ip: Ip) => [...new Set(addresses)].filter(address => address.includes(":") === (ip === "ip6")).sort();
    return (["ip", "ip6"] as const).flatMap(ip => (of(ip).length > 0 ? rules(ip, of(ip).join(", ")) : []));
}
