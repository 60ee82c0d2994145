import { listed, naturally } from "../names";

/** The end of what a script prints says most. */
const most = { lines: 5, characters: 300, texts: 10 };

/** What the scripts of a hook have printed, as far as a report keeps it. `redact`: takes out secrets, before anything is shortened: a part of one would not be found. */
export class HookOutput {
    private readonly ends = new Map<string, { lines: string[]; before: number }>();

    constructor(private readonly redact: (text: string) => string) {}

    /** `node`: where it was printed. @default this machine */
    add(text: string, node = ""): void {
        const end = this.ends.get(node) ?? { lines: [], before: 0 };
        this.ends.set(node, end);
        for (const line of this.redact(text).split("\n")) {
            if (line.trim() === "") continue;
            end.lines.push(lineOf(line.trimEnd()));
            if (end.lines.length <= most.lines) continue;
            end.lines.shift();
            end.before++;
        }
    }

    /** A line for each thing that was printed; nodes that printed the same are together. Empty: nothing. */
    lines(): string[] {
        const byText = new Map<string, string[]>();
        for (const node of naturally([...this.ends.keys()])) {
            const { lines, before } = this.ends.get(node)!;
            if (lines.length === 0) continue;
            const text = [
                ...(before > 0 ? [`… ${before} ${before === 1 ? "line" : "lines"} before`] : []),
                ...lines,
            ].join("\n");
            byText.set(text, [...(byText.get(text) ?? []), node]);
        }
        const all = [...byText];
        const left = all.slice(most.texts).flatMap(([, nodes]) => nodes).length;
        const shown = all.slice(0, most.texts).flatMap(([text, nodes]) => withNodes(text.split("\n"), nodes));
        return [...shown, ...(left > 0 ? [`… of ${left} more nodes`] : [])];
    }
}

/** A secret that is known later only would not be found in a part of a line. */
const lineOf = (line: string) => (line.length > most.characters ? `(a line of ${line.length} characters)` : line);

function withNodes(lines: readonly string[], nodes: readonly string[]): string[] {
    if (nodes.includes("")) return [...lines];
    const names = listed(nodes);
    return lines.length === 1 ? [`${names}: ${lines[0]}`] : [`${names}:`, ...lines.map(line => `    ${line}`)];
}
