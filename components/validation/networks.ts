import { BlockList, isIP } from "node:net";

/** Networks in CIDR notation, IPv4 and IPv6. */
export interface Cidr {
    address: string;
    prefix: number;
    family: "ipv4" | "ipv6";
}

export function parseCidr(text: string): Cidr | undefined {
    const [address = "", prefixText = "", ...rest] = text.split("/");
    const version = isIP(address);
    const prefix = Number(prefixText);
    const fits = version !== 0 && /^\d+$/.test(prefixText) && prefix <= (version === 4 ? 32 : 128);
    return fits && rest.length === 0 ? { address, prefix, family: version === 4 ? "ipv4" : "ipv6" } : undefined;
}

export function contains(net: Cidr, address: string): boolean {
    const list = new BlockList();
    list.addSubnet(net.address, net.prefix, net.family);
    return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

export function overlap(a: Cidr, b: Cidr): boolean {
    return a.family === b.family && (a.prefix <= b.prefix ? contains(a, b.address) : contains(b, a.address));
}
