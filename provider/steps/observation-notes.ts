import { stateFolder } from "../shell/folders";
import { quoteWord } from "../shell/quote";
import type { Connection } from "../ssh/types";
import { answersIn, type Observed, observationLines, seenIn } from "./observe";
import { query } from "./query";
import type { Step } from "./types";

/**
 * How a machine looks at itself: a refresh has no program, and the state none of the values, so the machine keeps the observations of the steps that were done
 * on it. They hold no secrets but hashes, and root alone may read them.
 */
export const notesFolder = `${stateFolder}/observations`;

/** Whose steps they are: a machine has two resources. */
export type NotesName = "host" | "node";

export const notesPath = (name: NotesName) => `${notesFolder}/${name}`;

/** What a look at the result of one step showed. */
export interface Noted {
    /** Of the step that was observed. Only if the journal has the same one this says anything. */
    fingerprint: string;
    title: string;
    /** What the step interrupts if it is done again. */
    disruptive?: string;
    seen: Observed;
}

/** Observations of steps as one text for a shell, which answers for all of them. Its answers are for `parseNotes`. */
export function observationNotes(steps: readonly Step[]): string {
    const lines = steps.flatMap(step =>
        observationLines(step, [step.fingerprint, step.title, step.disruptive ?? ""].map(inOneLine)),
    );
    // because of the braces nothing of a text that is cut off runs
    return ["{", "umask 077", ...lines, "}", ""].join("\n");
}

const inOneLine = (text: string) => text.replace(/\s+/g, " ");

/** By the id of the step. */
export function parseNotes(output: string): Record<string, Noted> {
    const noted = [...answersIn(output)].flatMap(([id, answer]): [string, Noted][] => {
        const [fingerprint, title, disruptive] = answer.words;
        if (fingerprint === undefined || title === undefined) return [];
        return [[id, { fingerprint, title, ...(disruptive && { disruptive }), seen: seenIn(answer) }]];
    });
    return Object.fromEntries(noted);
}

/** The command that writes the notes; fake nodes in tests recognise it. */
export const noteArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-note"];

/**
 * Replaces the notes of a resource, as soon as its steps are done. `also`: POSIX sh that notes more. A machine that is not ours any more gets none.
 * @throws STEP_FAILED, CONNECT_FAILED and similar codes
 */
export async function noteObservations(
    connection: Connection,
    name: NotesName,
    steps: readonly Step[],
    also = "",
): Promise<void> {
    const path = notesPath(name);
    const script = [
        `[ -s ${stateFolder}/cluster ] || exit 0`,
        "umask 077",
        `mkdir -p ${notesFolder}`,
        `printf %s ${quoteWord(observationNotes(steps))} > ${path}.new`,
        `mv ${path}.new ${path}`,
        also,
    ].join("\n");
    await query(connection, {
        step: "note how its steps are observed",
        script,
        argv: noteArgv,
        holdsScripts: true,
        timeoutSeconds: 30,
    });
}
