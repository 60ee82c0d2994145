/** "Did you mean …?", or what there is; undefined if there is nothing at all. */
export function suggestion(wanted: string, names: readonly string[]): string | undefined {
    const all = [...new Set(names)].filter(name => name !== "").sort();
    if (all.length === 0) return undefined;
    const near = all
        .map(name => ({ name, far: distance(wanted.toLowerCase(), name.toLowerCase()) }))
        .filter(({ name, far }) => far <= Math.max(2, wanted.length / 3) || partOf(wanted, name))
        .sort((a, b) => a.far - b.far)
        .slice(0, 3);
    if (near.length > 0) return `Did you mean ${near.map(({ name }) => `"${name}"`).join(" or ")}?`;
    const shown = all.slice(0, 12).map(name => `"${name}"`);
    const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : "";
    return `There is ${shown.join(", ")}${more}.`;
}

function partOf(a: string, b: string): boolean {
    const [short, long] = [a.toLowerCase(), b.toLowerCase()].sort((x, y) => x.length - y.length);
    return short!.length >= 3 && long!.includes(short!);
}

/** Levenshtein's: single letters added, left out or changed. */
export function distance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
        }
        row = next;
    }
    return row[b.length]!;
}
