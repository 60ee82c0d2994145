/** A rotation's former key and the new one are valid side by side for a while: when that ends, ISO 8601. */
export function graceEnd(since: string, graceHours: number): string {
    return new Date(Date.parse(since) + graceHours * 3_600_000).toISOString();
}

/** The grace of a rotation is over, and the former key is still in use. `since`: "" where there was no former key. */
export function isGraceOver({ ended, since }: { ended: boolean; since: string }, graceHours: number): boolean {
    return !ended && since !== "" && graceEnd(since, graceHours) <= new Date().toISOString();
}
