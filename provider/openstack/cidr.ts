import { isIP } from "node:net";

/** A network as a range of numbers; IPv4 and IPv6 never meet. */
export interface Range {
    version: 4 | 6;
    first: bigint;
    last: bigint;
}

/** Undefined: it is no network in CIDR notation. */
export function rangeOf(cidr: string): Range | undefined {
    const [address = "", length = ""] = cidr.split("/");
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    if (version === 0 || !/^\d+$/.test(length) || Number(length) > bits) return undefined;
    const size = 1n << BigInt(bits - Number(length));
    const first = (toNumber(address) / size) * size;
    return { version: version as 4 | 6, first, last: first + size - 1n };
}

export function overlap(a: Range, b: Range): boolean {
    return a.version === b.version && a.first <= b.last && b.first <= a.last;
}

export function contains(range: Range, address: string): boolean {
    const version = isIP(address);
    if (version !== range.version) return false;
    const value = toNumber(address);
    return value >= range.first && value <= range.last;
}

/** Addresses from start to end. */
export function poolSize({ start, end }: { start: string; end: string }): bigint {
    return toNumber(end) - toNumber(start) + 1n;
}

/** Of an address that isIP() knows. */
export function toNumber(address: string): bigint {
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
