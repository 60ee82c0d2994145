const namesShown = 5;

/** For messages: "w1, w2"; for a long list its beginning and the number of the others. */
export function listed(names: readonly string[]): string {
    const ordered = naturally(names);
    const others = ordered.length - namesShown;
    return others > 1 ? `${ordered.slice(0, namesShown).join(", ")} and ${others} more` : ordered.join(", ");
}

/** In natural order: w2 before w10. */
export function naturally(names: readonly string[]): string[] {
    return [...names].sort(inNaturalOrder);
}

/** Compares two names: w2 is before w10. 0 only for equal ones. */
export function inNaturalOrder(a: string, b: string): number {
    return a.localeCompare(b, "en", { numeric: true }) || (a === b ? 0 : a < b ? -1 : 1);
}
