import { createHash } from "node:crypto";

/**
 * VRRP's number (1..255) of a cluster's address, where the user gives none: two clusters on one network get different ones most of the
 * time, and the same cluster always gets the same. A step looks whether another machine advertises it. An address that is not known
 * yet (the cloud chooses it) does not count: the preview already shows the steps.
 */
export function virtualRouterId(
    clusterName: string,
    { address, virtualRouterId }: { address?: unknown; virtualRouterId?: number },
): number {
    const known = typeof address === "string" ? address : "";
    const hash = createHash("sha256").update(`${clusterName} ${known}`).digest();
    return virtualRouterId ?? (hash.readUInt32BE(0) % 255) + 1;
}
