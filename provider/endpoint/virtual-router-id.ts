import { createHash } from "node:crypto";

/**
 * VRRP's number (1..255) of a cluster's address: two clusters on one network get different ones most of the time, and the same
 * cluster always gets the same. Settable where it collides; a step looks whether somebody else advertises it.
 */
export function virtualRouterId(clusterId: string, address: string): number {
    const hash = createHash("sha256").update(`${clusterId} ${address}`).digest();
    return (hash.readUInt32BE(0) % 255) + 1;
}
