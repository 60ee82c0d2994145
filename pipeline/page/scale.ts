import { html, type Markup, none } from "./markup";

/** How seconds become places in the chart. */
export interface Scale {
    seconds: number;
    tick: number;
    /** Shorter bars are not drawn. */
    shortest: number;
}

export const percent = (seconds: number, scale: Pick<Scale, "seconds">) =>
    Math.round((seconds / scale.seconds) * 10_000) / 100;

/** A round number of seconds, at most eight of which fit. Pure. */
export function tickOf(seconds: number): number {
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];
    return steps.find(step => seconds / step <= 8) ?? Math.ceil(seconds / 8 / 86_400) * 86_400;
}

/** A bar from one second to another; its kind is its style. */
export function block(kind: string, from: number, until: number, scale: Scale, title?: string): Markup {
    const left = Math.min(percent(from, scale), 99.8);
    const width = Math.round(percent(until - from, scale) * 100) / 100;
    return html`<i class="${kind}" style="left:${left}%;width:${width}%"${title === undefined ? none : html` title="${title}"`}></i>`;
}
