/** When a token was issued and when it expires, in seconds, according to the token. */
export interface TokenTimes {
    issued: number;
    ends: number;
}

/** Undefined if the token has no times; then it is valid until it is refused. */
export function tokenTimes(token: string): TokenTimes | undefined {
    try {
        const { iat, exp } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
        return typeof exp === "number" ? { issued: typeof iat === "number" ? iat : exp, ends: exp } : undefined;
    } catch {
        return undefined;
    }
}

/** ISO 8601; "" if it does not expire. */
export function tokenEnd(token: string): string {
    const times = tokenTimes(token);
    return times === undefined ? "" : new Date(times.ends * 1000).toISOString().replace(".000Z", "Z");
}

/** `up` renews a token after half of its lifetime. If less than a quarter is left, there was no `up` for long. */
export function tokenWarning(token: string, now = Date.now() / 1000): string | undefined {
    const times = tokenTimes(token);
    if (times === undefined || now < times.ends - (times.ends - times.issued) / 4) return undefined;
    return `the token that this Vim handed out ${now > times.ends ? "ended" : "ends"} on ${tokenEnd(token)}; pulumi up renews it`;
}
