/** Prints "step fingerprint date seconds" for each step in a node's journal. */
export const journalScript =
    'cd /var/lib/pulumi-nfv/journal && for f in *; do [ ! -f "$f" ] || printf "%s %s\\n" "$f" "$(cat "$f")"; done';

/** Step → seconds, from what journalScript prints. */
export function parseJournal(text: string): Record<string, number> {
    const rows = text
        .split("\n")
        .map(line => line.trim().split(/\s+/))
        .filter(words => words.length >= 4);
    return Object.fromEntries(rows.map(words => [words[0], Number(words[3])]));
}
