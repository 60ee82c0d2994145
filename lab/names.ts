import { createHash } from "node:crypto";

export const gateway = "10.99.0.1";

/** First letters of a node's name → last number of its address, 10 addresses for each. Other names get 101 and up. */
const ranges: Record<string, number> = { m: 10, w: 20, st: 30, c: 40, n: 50 };
const firstOther = 101; // n1 … n49 take 51 … 99, the VIP has 100

/** Lab names have no "-": "nfv-a-b" must be node b of lab a and nothing else. */
export function checkLabName(name: string): string {
    if (!/^[a-z][a-z0-9]{0,19}$/.test(name)) {
        throw new Error(`"${name}" is no name for a lab: a letter, then up to 19 letters and digits, all small`);
    }
    return name;
}

export function checkNodeName(name: string): string {
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
        throw new Error(`"${name}" is no name for a node: small letters, digits and single "-" between, up to 40`);
    }
    return name;
}

/** "5" means n1 … n5; anything else is a list of names. */
export function nodeNames(words: readonly string[]): string[] {
    const only = words.length === 1 ? words[0]! : "";
    const names = /^\d+$/.test(only)
        ? Array.from({ length: Number(only) }, (_, i) => `n${i + 1}`)
        : words.flatMap(word => word.split(",")).filter(Boolean);
    if (names.length === 0) {
        throw new Error("give a number of nodes or their names");
    }
    if (new Set(names).size !== names.length) {
        throw new Error("a name is given twice");
    }
    return names.map(checkNodeName);
}

/** m1 is 10.99.0.11, w1 is 10.99.0.21, st1 is 10.99.0.31; names without a number of their own get the next free address. */
export function addresses(names: readonly string[], taken: readonly string[] = []): Record<string, string> {
    const used = new Set(taken);
    const result: Record<string, string> = {};
    const rest: string[] = [];
    for (const name of names) {
        const match = /^([a-z]+)(\d+)$/.exec(name);
        const base = match && ranges[match[1]!];
        const number = match ? Number(match[2]) : 0;
        const most = match?.[1] === "n" ? 49 : 9;
        const address = base && number >= 1 && number <= most ? `10.99.0.${base + number}` : undefined;
        if (address && !used.has(address)) {
            result[name] = address;
            used.add(address);
        } else {
            rest.push(name);
        }
    }
    let next = firstOther;
    for (const name of rest) {
        while (used.has(`10.99.0.${next}`)) {
            next++;
        }
        if (next > 250) {
            throw new Error("a lab has room for 250 nodes");
        }
        result[name] = `10.99.0.${next}`;
        used.add(result[name]);
    }
    return result;
}

/** The bridge's port of a node. The kernel allows 15 characters, so it is made from the address and not from the name. */
export const portOf = (address: string) => `v${address.split(".")[3]}`;

/** Stable over reboots, different in each lab. */
export function macOf(lab: string, node: string): string {
    const digest = createHash("sha256").update(`${lab}/${node}`).digest("hex");
    return `52:54:00:${digest.slice(0, 2)}:${digest.slice(2, 4)}:${digest.slice(4, 6)}`;
}

const units: Record<string, number> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** "4GiB", "512MiB", "1G" or a number of bytes. Units are powers of 1024. */
export function parseSize(text: string): number {
    const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/.exec(text.trim());
    if (!match) {
        throw new Error(`"${text}" is no size: write 4GiB or 512MiB`);
    }
    return Math.floor(Number(match[1]) * units[match[2]!]!);
}

export function parseCpus(text: string): number {
    const cpus = Number(text);
    if (!(cpus > 0)) throw new Error(`--cpus ${text}: write a number greater than 0, as 2 or 0.5`);
    return cpus;
}
