import { runFacts } from "../contract/run-facts";
import type { Context, Diff } from "../contract/types";
import { usualLimits } from "../health/limits";
import type { MachineLook } from "../health/look";
import type { Fingerprints, Step } from "../steps";
import type { Observed as Seen } from "../steps/observe";

/** What others have changed of the result of a step, as the last refresh saw it. */
export interface DriftedStep {
    title: string;
    /** Of the step that was done. */
    fingerprint: string;
    /** A line for each difference. */
    lines: string[];
    /** What it interrupts to do the step again. */
    disruptive?: string;
}

/** By the id of the step. */
export type Drift = Record<string, DriftedStep>;

/** Input of the resources whose steps a refresh looks at. */
export interface DriftInput {
    /** Ids of the steps whose results others may change. Sorted. */
    acceptDrift?: readonly string[];
}

/** What is stored of the drift. Undefined: the last refresh found none. */
export interface DriftState extends DriftInput {
    drift?: Drift;
}

/** The state is small, and whoever sees the first lines knows where to look. */
const mostLines = 8;
const longestLine = 240;

/**
 * What a look has found: steps that the journal still has as they were observed, and whose results differ. What could not be found out is no drift; nor is
 * what a machine shows while it boots. `former`: what was known before. A step of it that the journal does not have any more is still to be put back: a run
 * that was killed had begun with it.
 */
export function driftOf({ facts, noted }: MachineLook, done: Fingerprints, former: Drift = {}): Drift {
    const begun = Object.entries(former).filter(([id]) => done[id] === undefined);
    if ((facts.uptimeSeconds ?? 0) <= usualLimits.bootSeconds) return Object.fromEntries(begun);
    const found = Object.entries(noted).flatMap(([id, { seen, fingerprint, ...step }]): [string, DriftedStep][] => {
        const counts = seen.state === "differs" && done[id] === fingerprint;
        return counts ? [[id, { ...plainTexts(step), fingerprint, lines: shortened(seen.lines) }]] : [];
    });
    return Object.fromEntries([...begun, ...found]);
}

/** The same of steps that were observed by themselves. */
export function driftOfSteps(steps: readonly Step[], seen: Readonly<Record<string, Seen>>): Drift {
    const found = steps.flatMap(({ id, title, fingerprint, disruptive }): [string, DriftedStep][] => {
        const each = seen[id];
        if (each?.state !== "differs") return [];
        return [[id, { title, fingerprint, lines: shortened(each.lines), ...(disruptive && { disruptive }) }]];
    });
    return Object.fromEntries(found);
}

/** The machine says it, and it is shown on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be shown
const plain = (text: string) => text.slice(0, longestLine).replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");

function plainTexts<Texts extends Record<string, string>>(texts: Texts): Texts {
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, plain(text)])) as Texts;
}

function shortened(lines: readonly string[]): string[] {
    const first = lines.slice(0, mostLines).map(plain);
    return lines.length > mostLines ? [...first, `and ${lines.length - mostLines} more`] : first;
}

/** What is to be put back: the program does not accept it. */
export const openDrift = (state: DriftState, news: DriftInput): Drift => partsOf(state, news).open;

function partsOf({ drift = {} }: DriftState, { acceptDrift = [] }: DriftInput): Record<"open" | "accepted", Drift> {
    const those = (areAccepted: boolean) =>
        Object.fromEntries(Object.entries(drift).filter(([id]) => acceptDrift.includes(id) === areAccepted));
    return { open: those(false), accepted: those(true) };
}

/** Whether the drift, or what is accepted of it, is a change. */
export function driftChanges(olds: DriftState, news: DriftInput): boolean {
    const accepted = (input: DriftInput) => [...(input.acceptDrift ?? [])].sort().join(" ");
    return Object.keys(openDrift(olds, news)).length > 0 || accepted(olds) !== accepted(news);
}

/** For preview: what `up` puts back of a machine, and what stays. `steps`: title → fingerprint, as the program has them now. */
export function driftNote(
    name: string,
    olds: DriftState,
    news: DriftInput & { steps?: Record<string, string> },
): string | undefined {
    const wanted: Record<string, string> = typeof news.steps === "object" ? news.steps : {};
    const { open, accepted } = partsOf(olds, news);
    // A changed step is done anyway, and preview shows that.
    const same = Object.values(open).filter(({ title, fingerprint }) => (wanted[title] ?? fingerprint) === fingerprint);
    const kept = Object.values(accepted);
    const parts = [
        ...(same.length > 0 ? [`still to do: put back what was changed: ${wordsOf(same)}`] : []),
        ...(kept.length > 0 ? [`accepted (acceptDrift): ${wordsOf(kept)}`] : []),
    ];
    return parts.length === 0 ? undefined : `${name}: ${parts.join("; ")}`;
}

function wordsOf(steps: readonly DriftedStep[]): string {
    return steps.map(step => `${textOf(step)}${interruption(step)}`).join("; ");
}

const textOf = ({ title, lines }: DriftedStep) => `${title} (${lines.join(", ")})`;
const interruption = ({ disruptive }: DriftedStep) => (disruptive === undefined ? "" : ` [interrupts: ${disruptive}]`);

/** Tells what a refresh has found, and what of it `up` leaves as it is. */
export function tellDrift(name: string, state: DriftState, drift: Drift, context: Context): void {
    const parts = partsOf({ drift }, state);
    const [open, accepted] = [Object.values(parts.open), Object.values(parts.accepted)];
    const { findings } = runFacts(context).seen;
    for (const step of open) {
        const text = textOf(step);
        if (!findings.some(found => found.node === name && found.text === text))
            findings.push({ node: name, code: "drift", text, up: "puts it back" });
    }
    if (open.length > 0)
        context.warn(`${name}: changed since the last pulumi up, and the next one puts it back: ${wordsOf(open)}`);
    if (accepted.length > 0) context.note(`${name}: changed, and accepted (acceptDrift): ${wordsOf(accepted)}`);
}

/** The state with what a refresh has found. */
export function withDrift<State extends DriftState>({ drift: _, ...state }: State, drift: Drift): State {
    return { ...state, ...(Object.keys(drift).length > 0 && { drift }) } as State;
}

/** What stays in the state when the rest was put back. */
export function acceptedDrift(state: DriftState, news: DriftInput): Pick<DriftState, "drift"> {
    const { accepted } = partsOf(state, news);
    return Object.keys(accepted).length > 0 ? { drift: accepted } : {};
}

/**
 * Which steps are done again. Those that a former run has begun, which are not in the journal any more, and those that another look at the machine still finds
 * changed.
 */
export function stepsToRepeat(open: Drift, noted: MachineLook["noted"], journal: Fingerprints): string[] {
    return Object.keys(open).filter(id => {
        const look = noted[id];
        return journal[id] === undefined || (look?.seen.state === "differs" && look.fingerprint === journal[id]);
    });
}

/** Their probes would say that nothing is to be done. */
export function repeated(steps: readonly Step[], ids: readonly string[]): Step[] {
    return steps.map(step => {
        if (!ids.includes(step.id)) return step;
        const { probe: _, again, run, ...others } = step;
        return { ...others, ...(run !== undefined && { run: again === undefined ? run : `${again}\n${run}` }) };
    });
}

/** The record without these steps. */
export function butSteps(done: Fingerprints, ids: readonly string[]): Fingerprints {
    return Object.fromEntries(Object.entries(done).filter(([id]) => !ids.includes(id)));
}

/** A diff with a further line for preview. */
export function withNote(diff: Diff, note: string | undefined): Diff {
    if (note === undefined) return diff;
    return { ...diff, note: diff.note === undefined ? note : `${diff.note}\n${note}` };
}
