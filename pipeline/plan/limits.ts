/** Of one text in a report, in characters. What programs print at their end says most. */
const longestText = 20_000;

/** Code hosts and runners refuse reports of more: GitHub takes 10 MB of SARIF, GitLab 30 MB of JUnit. In characters. */
export const longestReport = 4_000_000;

/** The begin and the end of a text that is too long. Pure. */
export function cutText(text: string, most = longestText): string {
    if (text.length <= most) return text;
    const note = (left: number) => `\n… ${left} characters are left out …\n`;
    const room = most - note(text.length).length;
    const head = Math.floor(room / 4);
    const end = text.length - (room - head);
    return `${text.slice(0, head)}${note(end - head)}${text.slice(end)}`;
}

/** As many of the first ones as have room, and how many are left out. Pure. */
export function thatFit<T>(
    all: readonly T[],
    lengthOf: (each: T) => number,
    limit = longestReport,
): { kept: T[]; left: number } {
    let length = 0;
    const at = all.findIndex(each => {
        length += lengthOf(each);
        return length > limit;
    });
    return at < 0 ? { kept: [...all], left: 0 } : { kept: all.slice(0, at), left: all.length - at };
}
