import { NfvError } from "../common/errors";
import type { Fingerprints } from "./types";

/** A step's failure. */
export class StepError extends NfvError {
    constructor(
        parts: ConstructorParameters<typeof NfvError>[0],
        /** Of its script; undefined if it met its deadline. */
        readonly scriptExitCode?: number,
    ) {
        super(parts);
    }
}

/** A run that ended early; `done` has what was completed, so that the next run continues from there. */
export class StepsFailed extends NfvError {
    readonly done: Fingerprints;
    /** Of the step's script, if that failed. */
    readonly scriptExitCode?: number;

    constructor(error: NfvError, done: Fingerprints, node: string) {
        const { code, step, reason, hint, output } = error;
        super({ code, node: error.node ?? node, step, cause: reason, hint, output });
        this.name = "StepsFailed";
        this.done = done;
        if (error instanceof StepError || error instanceof StepsFailed) this.scriptExitCode = error.scriptExitCode;
    }
}
