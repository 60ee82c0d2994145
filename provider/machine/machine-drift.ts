import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import type { Finding } from "../health/findings";
import { lookAtMachine, type MachineLook } from "../health/look";
import type { Connection } from "../ssh";
import { forgetStep, type Step } from "../steps";
import { type NotesName, noteObservations } from "../steps/observation-notes";
import {
    type Drift,
    type DriftInput,
    type DriftState,
    driftOf,
    openDrift,
    stepsToRepeat,
    tellDrift,
    withDrift,
} from "./drift";
import { type Cures, curedSteps } from "./health";
import { readJournal } from "./journal";
import type { StepState } from "./machine";

type State = StepState & DriftState & { spec: { name: string } };

/** The state with what a look at the machine has found changed. What `up` does again because of a finding of health is not told twice. */
export function foundDrift<S extends State>(
    state: S,
    look: MachineLook | undefined,
    found: readonly Finding[],
    cures: Cures,
    context: Context,
): S {
    // not asked: what was known before still holds
    if (look === undefined) return state;
    const drift = driftOf(look, state.done, state.drift);
    // It is put back all the same: what was changed may be why it does not work.
    const cured = curedSteps(found, cures);
    const told = Object.fromEntries(Object.entries(drift).filter(([id]) => !cured.has(id)));
    tellDrift(state.spec.name, state, told, context);
    return withDrift(state, drift);
}

/**
 * Takes the steps that a refresh found changed out of the machine's journal, so that they run again, and returns their ids. The machine is asked again: what was
 * put right meanwhile is not touched.
 */
export async function forgetDrifted(
    notes: NotesName,
    olds: (DriftState & { spec: { clusterId: string; name: string } }) | undefined,
    news: DriftInput,
    connection: Connection,
    context: Context,
): Promise<string[]> {
    const open: Drift = olds === undefined ? {} : openDrift(olds, news);
    if (olds === undefined || Object.keys(open).length === 0) return [];
    const { clusterId, name } = olds.spec;
    const journal = await readJournal(context, connection, clusterId, name);
    // The steps themselves say what is to be done about a machine that is busy or another's.
    if (typeof journal !== "object") return [];
    const { noted } = await lookAtMachine(connection, notes);
    const again = stepsToRepeat(open, noted, journal.done);
    for (const id of again) await forgetStep(connection, id);
    return again;
}

/** The machine notes how these steps are observed. Without a note a refresh does not know, so a failure here does not fail the run. */
export async function noteSteps(
    connection: Connection,
    notes: NotesName,
    steps: readonly Step[],
    context: Context,
    also?: string,
): Promise<void> {
    try {
        const compared = steps.filter(({ notCompared }) => notCompared === undefined);
        await noteObservations(connection, notes, compared, also);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.report(`how its steps are observed was not noted: ${error.reason}`);
    }
}
