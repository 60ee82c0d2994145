import { html, type Markup, when } from "./markup";

/** How much of each kind the page shows; what is left out is said. */
export const most = {
    errors: 50,
    waits: 100,
    nodes: 400,
    objects: 200,
    messages: 100,
    resources: 200,
    phases: 80,
    hooks: 100,
};

/** A part of the page with its title. */
export function section(id: string, title: string, body: Markup): Markup {
    return html`<section aria-labelledby="${id}"><h2 id="${id}" tabindex="-1">${title}</h2>
${body}</section>
`;
}

/** For those who want to know more. */
export function folded(id: string, title: string, body: Markup): Markup {
    return html`<details class="fold section"><summary><h2 id="${id}" tabindex="-1">${title}</h2></summary>
${body}</details>
`;
}

export const more = (all: number, shown: number, what: string) =>
    when(all > shown, () => html`<p class="quiet">${all - shown} more ${what} are left out.</p>`);
