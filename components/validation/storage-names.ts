/** What scripts and exports(5) read as one word. */
export const plainPath = /^(\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/;

export const dnsSubdomain = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
