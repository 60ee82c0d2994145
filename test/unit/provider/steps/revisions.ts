import { createHash } from "node:crypto";
import { join } from "node:path";
import type { StepBody } from "../../../../provider/steps/types";
import { projectRoot } from "../../../support/user-project";
import { stepLists } from "./step-lists";

/** Record of a step. */
export interface Revision {
    revision: number;
    /** Hash of all scripts that the step has for the samples in step-lists.ts. */
    scripts: string;
}

export type Revisions = Record<string, Revision>;

/** Beside the source: the compiler copies no data files. */
export const revisionsFile = join(projectRoot, "test/unit/provider/steps/revisions.json");
export const writeCommand = "npx tsx test/unit/provider/steps/write-revisions.ts";

/** Programs that a script gets as values: if the step has its own declared state, its fingerprint does not contain them. */
function programsOf({ env = {} }: StepBody): string[] {
    return Object.values(env).filter(value => /^\s*import /.test(value));
}

function scriptsOf(body: StepBody): string {
    const { probe = "", refuse, run = "", preparation } = body;
    const before = refuse === undefined ? [] : [refuse];
    return JSON.stringify([probe, run, preparation?.run ?? "", ...before, ...programsOf(body)]);
}

/** Step id → its revision and scripts, as far as the samples show them. @throws if a step has two revisions at once */
export function revisionsOf(bodies: readonly StepBody[]): Revisions {
    const ids = [...new Set(bodies.map(({ id }) => id))].sort();
    return Object.fromEntries(
        ids.map(id => {
            const ofStep = bodies.filter(body => body.id === id);
            const revisions = [...new Set(ofStep.map(({ revision }) => revision))];
            if (revisions.length > 1) throw new Error(`${id} has several revisions at once: ${revisions.join(", ")}`);
            const scripts = [...new Set(ofStep.map(scriptsOf))].sort();
            const hash = createHash("sha256").update(JSON.stringify(scripts)).digest("hex").slice(0, 12);
            return [id, { revision: revisions[0]!, scripts: hash }];
        }),
    );
}

/** The revisions of the present sources. */
export async function currentRevisions(): Promise<Revisions> {
    const lists = Object.values(await stepLists());
    return revisionsOf(lists.flatMap(({ specs, bodiesOf }) => specs.flatMap(bodiesOf)));
}

const write = `write the list anew: ${writeCommand}`;

/** The first matching row applies. */
const rows: { when: (recorded?: Revision, now?: Revision) => boolean; text: string }[] = [
    { when: recorded => recorded === undefined, text: `a new step: ${write}` },
    {
        when: (_, now) => now === undefined,
        text: `there is no such step any more. What it left on existing nodes stays there: decide whether another step takes it away, then ${write}`,
    },
    {
        when: (recorded, now) => now!.revision < recorded!.revision,
        text: "its revision is lower than the recorded one: nodes that carried that one out would do an older one again; raise it",
    },
    {
        when: (recorded, now) => now!.revision > recorded!.revision,
        text: `its revision is raised (if it has a probe, see that this does not find it done on existing nodes): ${write}`,
    },
    {
        when: (recorded, now) => now!.scripts !== recorded!.scripts,
        text: `its script changed, its revision did not. If existing nodes must carry it out again: raise its revision, and ${write}. Otherwise only ${write}`,
    },
];

/** What an author has to decide or to do, one line per step. Empty: the list matches the sources. */
export function differences(recorded: Revisions, now: Revisions): string[] {
    return [...new Set([...Object.keys(recorded), ...Object.keys(now)])].sort().flatMap(id => {
        const row = rows.find(({ when }) => when(recorded[id], now[id]));
        return row === undefined ? [] : [`${id}: ${row.text}`];
    });
}
