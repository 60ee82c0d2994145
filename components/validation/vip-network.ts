import { isIPv4 } from "node:net";
import { contains, parseCidr } from "../../provider/common/cidr";
import type { PlainArgs } from "../common/plain-args";

/**
 * keepalived answers for the virtual address (ARP) on the network of the control-plane nodes: an address of another network is reached by nobody. How
 * large that network is, the program says by `prefixLength` or not at all. With `interface` it may be another network than that of the addresses.
 */

const place = "controlPlane.endpoint.vip.address";
const usualPrefix = 24;

/** Networks of these blocks are never larger: an address outside of a node's block is not beside it. */
const blocks = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map(text => parseCidr(text)!);

interface Vip {
    address: string;
    prefixLength?: number;
    interface?: string;
}

/** The virtual address, and the control-plane nodes in whose network it is not, with `prefix`. */
function outside(args: PlainArgs, prefix: number): { vip: Vip; nodes: string[] } | undefined {
    const vip = args.controlPlane?.endpoint?.vip as Vip | undefined;
    // Of a program: an address may be an output.
    if (typeof vip?.address !== "string" || !isIPv4(vip.address) || vip.interface !== undefined) return undefined;
    const nodes = Object.values(args.infrastructure.hosts?.controlPlane ?? {})
        .map(({ address }): unknown => address)
        .filter(address => typeof address === "string" && isIPv4(address))
        .filter(address => {
            const network = parseCidr(`${address}/${prefix}`);
            return network !== undefined && !contains(network, vip.address);
        });
    return nodes.length === 0 ? undefined : { vip, nodes: nodes as string[] };
}

const isLoopback = (address: string) => address.startsWith("127.");
const blockOf = (address: string) => blocks.find(block => contains(block, address));

/** What is wrong, as place and what. */
export function vipNetwork(args: PlainArgs): [place: string, what: string][] {
    const given = args.controlPlane?.endpoint?.vip?.prefixLength;
    const found = outside(args, given ?? usualPrefix);
    if (found === undefined) return [];
    const { vip, nodes } = found;
    // Simulated machines (pulumi-nfv/testing) are all on this one.
    if (isLoopback(vip.address)) return [];
    const far = given === undefined ? nodes.filter(node => blockOf(node) !== blockOf(vip.address)) : nodes;
    if (far.length === 0) return [];
    const network = given === undefined ? "" : `/${given} `;
    return [
        [
            place,
            `${vip.address} lies outside of the ${network}network of ${far[0]}, so no machine answers for it there: ` +
                "give a free address of that network; or the `interface` whose network has it",
        ],
    ];
}

/** Where the program does not say how large the network is. */
export function vipWarnings(args: PlainArgs): string[] {
    if (args.controlPlane?.endpoint?.vip?.prefixLength !== undefined || vipNetwork(args).length > 0) return [];
    const found = outside(args, usualPrefix);
    if (found === undefined) return [];
    const { vip, nodes } = found;
    if (isLoopback(vip.address))
        return [`${place}: ${vip.address} is on the loopback interface: only simulated machines are reached there`];
    return [
        `${place}: ${vip.address} lies outside of the /${usualPrefix} network of ${nodes[0]}: in another network nobody reaches it. ` +
            "Where the network is larger, say so: prefixLength",
    ];
}
