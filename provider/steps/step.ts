import type { KnownStep, StepBody, StepRow } from "./types";

/** What a factory adds to its row. It may choose another one of the titles. */
type Added = Omit<StepBody, keyof StepRow> & { title?: string };

/** A step: its row, and what it does on the machine of a spec; undefined: that machine does not need it. */
export const step =
    <Spec>(row: StepRow) =>
    (body: (spec: Spec) => Added | undefined): KnownStep<Spec> => {
        const make = (spec: Spec) => {
            const added = body(spec);
            return added && { ...row, ...added };
        };
        return Object.assign(make, { row });
    };
