import { programSession } from "../../provider/adapters/hooks";

/** What each part of a program defines, in the order in which the parts are made. */
class DefinedKinds {
    readonly parts: Promise<string[]>[] = [];
}

/** Any kind: at preview it is not known yet which ones a part defines. */
export const anyKind = "*";

/**
 * Kinds that the parts of the program define that were made before this call: "Foo.example.com". A network function may use them, and at preview
 * the cluster does not have them yet.
 */
export async function kindsDefinedBefore(): Promise<string[]> {
    const before = [...programSession().part(DefinedKinds).parts];
    return [...new Set((await Promise.all(before)).flat())].sort();
}

/** Notes the kinds that a part of the program defines. */
export function noteDefinedKinds(kinds: string[] | Promise<string[]>): void {
    // A part that fails reports that itself.
    const noted = Promise.resolve(kinds).catch(() => [anyKind]);
    programSession().part(DefinedKinds).parts.push(noted);
}
