import { plainText } from "../../provider/common/plain-text";
import { withoutSecrets } from "../events/redaction";

/** Text that is safe in a page: `text()` and `html` make it, plain texts are escaped. */
export class Markup {
    constructor(readonly html: string) {}
}

type Part = Markup | string | number | readonly (Markup | string)[];

/** A template whose values are escaped unless they are markup. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Markup {
    const parts = values.map((value, i) => `${strings[i]}${htmlOf(value)}`);
    return new Markup(parts.join("") + strings.at(-1));
}

function htmlOf(value: Part): string {
    if (value instanceof Markup) return value.html;
    if (Array.isArray(value)) return value.map(htmlOf).join("");
    return escaped(String(value));
}

export const none = new Markup("");

/** Where only some of it is shown. */
export function when(condition: boolean, markup: () => Markup): Markup {
    return condition ? markup() : none;
}

/** Without what terminals obey, and without what looks like a secret. Pure. */
export function cleaned(text: string): string {
    return withoutSecrets(plainText(text));
}

function escaped(text: string): string {
    return cleaned(text)
        .replace(/&/g, "&amp;")
        .replace(/</g, "&lt;")
        .replace(/>/g, "&gt;")
        .replace(/"/g, "&quot;")
        .replace(/'/g, "&#39;");
}

/** In one line, and not longer than `most` characters. Pure. */
export function short(text: string, most = 200): string {
    const line = cleaned(text).replace(/\s+/g, " ").trim();
    return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** The end of an output: its last lines, each shortened. Pure. */
export function endOf(text: string, lines = 30, width = 500): string {
    const all = cleaned(text).trimEnd().split("\n");
    const shown = all.slice(-lines).map(line => (line.length > width ? `${line.slice(0, width)}…` : line));
    return [...(all.length > lines ? [`… ${all.length - lines} lines before`] : []), ...shown].join("\n");
}

/** A table with a caption, or nothing without rows. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly Part[])[]): Markup {
    if (rows.length === 0) return none;
    const cells = (row: readonly Part[]) =>
        row.map((cell, i) =>
            i === 0 ? html`<th scope="row">${cell}</th>` : html`<td data-head="${heads[i]!}">${cell}</td>`,
        );
    return html`<div class="table"><table><caption>${caption}</caption>
<thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(
    row => html`<tr>${cells(row)}</tr>
`,
)}</tbody></table></div>
`;
}
