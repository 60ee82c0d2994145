/** "go 1.19.8 is older than 1.26": why a Go cannot build modules with that go line. Undefined: it can, or its version says nothing. Pure. */
export function whyTooOld(found: string, wanted: string | undefined): string | undefined {
    if (wanted === undefined) return undefined;
    const [seen, least] = [partsOf(found), partsOf(wanted)];
    if (seen === undefined || least === undefined || compare(seen, least) >= 0) return undefined;
    return `go ${found.replace(/^go/, "")} is older than ${wanted.replace(/\.0$/, "")}`;
}

/** The newest of some go lines. Pure. */
export function newest(lines: readonly string[]): string | undefined {
    return [...lines].sort((a, b) => compare(partsOf(b) ?? [], partsOf(a) ?? []))[0];
}

/** Of "go1.26.8", "1.26.0", "go1.27rc1", "devel go1.28-abc". */
function partsOf(text: string): number[] | undefined {
    const [, major, minor, patch = "0"] = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
    return major === undefined ? undefined : [major, minor, patch].map(Number);
}

function compare(a: number[], b: number[]): number {
    const at = [0, 1, 2].find(i => (a[i] ?? 0) !== (b[i] ?? 0));
    return at === undefined ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
