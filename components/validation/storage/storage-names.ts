import { isIP } from "node:net";

/** What scripts and exports(5) read as one word. */
export const plainPath = /^(\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/;

/** Whether clients could mount from it: an address or a name, and no URL. */
export function isServerName(text: string): boolean {
    return isIP(text) !== 0 || /^[^\s/:]+$/.test(text);
}

export const dnsSubdomain = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
export const dnsSubdomainRule = "the name must be a DNS name (at most 253 of a-z, 0-9, -, .)";

/** What is wrong with an owner of volumes or backups that is no DNS label. */
export const noOwner = (owner: string | undefined) =>
    `"${owner}" is no owner's id: the clusterId of a cluster, or the output owner of a StorageServer`;
