import { createHash } from "node:crypto";

/** What mkfs itself writes into a file system of ours. */
export interface VolumeIdentity {
    uuid: string;
    label: string;
}

/** Labels of all our volumes begin so. */
export const labelPrefix = "nfv-";

/**
 * Made of owner and name, so a run that was killed right after mkfs is recognised by the next one. A label has 12 characters: xfs allows no
 * more.
 */
export function volumeIdentity(owner: string, volume: string): VolumeIdentity {
    const hex = createHash("sha256").update(`pulumi-nfv volume\0${owner}\0${volume}`).digest("hex");
    // RFC 9562, version 8: the content is the application's.
    const parts = [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `8${hex.slice(13, 16)}`,
        `a${hex.slice(17, 20)}`,
        hex.slice(20, 32),
    ];
    return { uuid: parts.join("-"), label: `${labelPrefix}${hex.slice(32, 40)}` };
}
