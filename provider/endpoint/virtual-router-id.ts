import { createHash } from "node:crypto";

/**
 * VRRP router id (1..255) of a cluster's virtual address if the user sets none. Different clusters mostly get different
 * ids, and a cluster always gets the same one. A later step checks that no other machine advertises it. An address that
 * is not known yet (the cloud chooses it) does not enter the id, so that the preview can show the steps.
 */
export function virtualRouterId(
    clusterName: string,
    { address, virtualRouterId }: { address?: unknown; virtualRouterId?: number },
): number {
    const known = typeof address === "string" ? address : "";
    const hash = createHash("sha256").update(`${clusterName} ${known}`).digest();
    return virtualRouterId ?? (hash.readUInt32BE(0) % 255) + 1;
}
