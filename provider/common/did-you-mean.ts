import { editDistance } from "./edit-distance";

/** "; did you mean "workers"?" with the most similar name, if it is similar enough to be meant; otherwise "". Pure. */
export function didYouMean(name: string, known: readonly string[]): string {
    const meant = mostSimilar(name, known);
    return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** A shorter word begins names that have nothing to do with it. */
const shortestBeginning = 4;

/** Undefined: none is similar enough. Pure. */
export function mostSimilar(name: string, known: readonly string[]): string | undefined {
    const ranked = known
        .map(candidate => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
        .sort((a, b) => a.distance - b.distance);
    const best = ranked[0];
    // Of a name of one or two letters every other one is similar.
    if (best && best.distance <= Math.max(2, name.length / 3) && best.distance < name.length) return best.candidate;
    // `capacity` for capacityGiB: the name without its unit.
    const longer = known.filter(candidate => name.length >= shortestBeginning && candidate.startsWith(name));
    return longer.length === 1 ? longer[0] : undefined;
}

/** Of which known name this one is a misspelling beyond doubt: a letter differs, two are swapped, or only capitals and `_` do. Undefined also of a known name. Pure. */
export function misspelt<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
    if ((known as readonly string[]).includes(name)) return undefined;
    const letters = (text: string) => [...text.toLowerCase().replaceAll("_", "")];
    const [given, sorted] = [letters(name).join(""), letters(name).sort().join("")];
    return known.find(each => {
        const distance = editDistance(given, letters(each).join(""));
        return distance <= 1 || (distance === 2 && sorted === letters(each).sort().join(""));
    });
}
