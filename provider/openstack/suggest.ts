import { editDistance } from "../common/edit-distance";

/** "Did you mean …?", or a list of existing names; undefined if there are none. */
export function suggestion(wanted: string, names: readonly string[]): string | undefined {
    const all = [...new Set(names)].filter(name => name !== "").sort();
    if (all.length === 0) return undefined;
    const near = all
        .map(name => ({ name, far: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
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
