import { isIP } from "node:net";

/** A network, also as a range of numbers. An IPv4 network and an IPv6 network never overlap. */
export interface Cidr {
    version: 4 | 6;
    /** Length, in bits. */
    prefix: number;
    first: bigint;
    last: bigint;
}

/** Returns undefined if the text is not a network in CIDR notation. */
export function parseCidr(text: string): Cidr | undefined {
    const [address = "", length = "", ...rest] = text.split("/");
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const prefix = Number(length);
    if (version === 0 || !/^\d+$/.test(length) || prefix > bits || rest.length > 0) return undefined;
    const size = 1n << BigInt(bits - prefix);
    const first = (toNumber(address) / size) * size;
    return { version: version as 4 | 6, prefix, first, last: first + size - 1n };
}

/**
 * What is wrong with a network that a user wrote; undefined if nothing is. Host bits are refused: they hide which
 * network was meant.
 */
export function cidrProblem(text: string, example: string): string | undefined {
    const cidr = parseCidr(text);
    if (!cidr) return `"${text}" is no network: write it like "${example}"`;
    const [address = ""] = text.split("/");
    if (toNumber(address) === cidr.first) return undefined;
    const network = `${toText(cidr.first, cidr.version)}/${cidr.prefix}`;
    return `${text} is an address in the network ${network}: write that, or the prefix length of a smaller one`;
}

/** Prefix length of a network that was validated before, by the cloud or by a check. */
export function prefixOf(cidr: string): number {
    return Number(cidr.split("/")[1]);
}

export function overlap(a: Cidr, b: Cidr): boolean {
    return a.version === b.version && a.first <= b.last && b.first <= a.last;
}

/** Whether `net` contains the whole of `other`. */
export function covers(net: Cidr, other: Cidr): boolean {
    return net.version === other.version && net.first <= other.first && other.last <= net.last;
}

export function contains(net: Cidr, address: string): boolean {
    const version = isIP(address);
    if (version !== net.version) return false;
    const value = toNumber(address);
    return value >= net.first && value <= net.last;
}

/** Number of addresses from start to end, both included. */
export function poolSize({ start, end }: { start: string; end: string }): bigint {
    return toNumber(end) - toNumber(start) + 1n;
}

/** The host of a URL, or of HOST:PORT. */
export function bracketed(host: string): string {
    return host.includes(":") ? `[${host}]` : host;
}

/** An address in its usual spelling: IPv6 addresses can be written in several ways. */
export function usualSpelling(address: string): string {
    return isIP(address) === 6 ? toText(toNumber(address), 6) : address;
}

/** A network as clouds write it, by its first address; an address as the network that has no other. */
export function usualNetwork(text: string): string {
    const cidr = parseCidr(text) ?? parseCidr(`${text}/${isIP(text) === 4 ? 32 : 128}`)!;
    return `${toText(cidr.first, cidr.version)}/${cidr.prefix}`;
}

function toText(value: bigint, version: 4 | 6): string {
    const [parts, bits] = version === 4 ? [4, 8n] : [8, 16n];
    const words = Array.from(
        { length: parts },
        (_, i) => (value >> (bits * BigInt(parts - 1 - i))) & ((1n << bits) - 1n),
    );
    if (version === 4) return words.join(".");
    // URL normalises the address to its shortest form.
    return new URL(`http://[${words.map(word => word.toString(16)).join(":")}]/`).hostname.slice(1, -1);
}

/** Expects an address that isIP() accepts. */
function toNumber(address: string): bigint {
    if (isIP(address) === 4) {
        return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    }
    const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
        [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map(part => part.toString(16)).join(":"),
    );
    const [head = "", tail] = plain.split("::");
    const left = head === "" ? [] : head.split(":");
    const right = tail === undefined || tail === "" ? [] : tail.split(":");
    const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
    return [...left, ...middle, ...right].reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}
